/** A colour: one of the sixteen, by its number, or `#rrggbb`. */
type Colour = number | string;

export interface CellStyle {
  readonly foreground?: Colour | undefined;
  readonly background?: Colour | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

export const noStyle: CellStyle = {};

const on: Readonly<Record<number, CellStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: undefined },
  49: { background: undefined },
};

/** Select Graphic Rendition (ECMA-48 8.3.117), and its colours of 256 and of 24 bits (ISO 8613-6). */
export function applyRendition(style: CellStyle, parameters: readonly number[]): CellStyle {
  let result = style;
  for (let at = 0; at < parameters.length; at++) {
    const code = parameters[at] || 0;
    const known = on[code];
    if (code === 0) result = noStyle;
    else if (known) result = { ...result, ...known };
    else if (code >= 30 && code <= 37) result = { ...result, foreground: code - 30 };
    else if (code >= 40 && code <= 47) result = { ...result, background: code - 40 };
    else if (code >= 90 && code <= 97) result = { ...result, foreground: code - 82 };
    else if (code >= 100 && code <= 107) result = { ...result, background: code - 92 };
    else if (code === 38 || code === 48) {
      const isIndexed = parameters[at + 1] === 5;
      const colour = isIndexed ? indexed(parameters[at + 2] ?? 0) : hex(parameters.slice(at + 2, at + 5));
      result = { ...result, [code === 38 ? 'foreground' : 'background']: colour };
      at += isIndexed ? 2 : 4;
    }
  }
  return result;
}

/** The cube and the greys of xterm's 256 colours. */
function indexed(index: number): Colour {
  if (index < 16) return Math.max(0, index);
  if (index >= 232) {
    const grey = 8 + (Math.min(index, 255) - 232) * 10;
    return hex([grey, grey, grey]);
  }
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  return hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function hex(parts: readonly number[]): string {
  const digits = [0, 1, 2].map((at) =>
    Math.min(255, Math.max(0, Math.trunc(parts[at] || 0)))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
}
