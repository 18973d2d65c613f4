import type { ShellText } from '../text.ts';
import { decodeEscapes } from './escapes.ts';

/** `%-5.2f` and its like. */
export interface Conversion {
  readonly type: 'conversion';
  readonly letter: string;
  readonly flags: string;
  readonly width: number | '*' | undefined;
  readonly precision: number | '*' | undefined;
  /** Of `%(format)T`. */
  readonly timeFormat?: string | undefined;
}

export type FormatPiece =
  | { readonly type: 'text'; readonly text: ShellText; readonly warning?: string }
  | Conversion
  | { readonly type: 'invalid'; readonly message: string };

const conversion =
  /%([-+ #0']*)(\*|\d*)(?:\.(\*|-?\d*))?(?:\(((?:[^()]|\([^()]*\))*)\))?(?:hh|h|ll|l|j|z|t|L)?(.)?/sy;

/** Splits a format at its conversions. What is wrong ends it. */
export function parseFormat(format: ShellText): readonly FormatPiece[] {
  const pieces: FormatPiece[] = [];
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    const end = percent < 0 ? format.length : percent;
    if (end > at) pieces.push({ type: 'text', text: decodeEscapes(format.slice(at, end), 'format').text });
    if (percent < 0) break;
    conversion.lastIndex = percent;
    const match = conversion.exec(format);
    if (!match) break;
    at = percent + match[0].length;
    const piece = pieceOf(match);
    pieces.push(piece);
    if (piece.type === 'invalid') break;
  }
  return pieces;
}

function pieceOf([
  whole,
  flags = '',
  width = '',
  precision,
  timeFormat,
  letter,
]: RegExpExecArray): FormatPiece {
  if (letter === undefined) {
    return { type: 'invalid', message: `\`${whole}': missing format character` };
  }
  if (whole === '%%') return { type: 'text', text: '%' };
  const isKnown = timeFormat === undefined ? 'sbqQcndiouxXeEfFgGaA'.includes(letter) : letter === 'T';
  if (timeFormat !== undefined && !isKnown) {
    return { type: 'text', text: whole, warning: `warning: \`${letter}': invalid time format specification` };
  }
  if (!isKnown) return { type: 'invalid', message: `\`${letter}': invalid format character` };
  return {
    type: 'conversion',
    letter,
    flags,
    width: width === '*' ? '*' : width === '' ? undefined : Number(width),
    precision: precision === '*' ? '*' : precision === undefined ? undefined : Number(precision || 0),
    timeFormat,
  };
}
