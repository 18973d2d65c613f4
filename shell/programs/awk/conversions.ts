import { type FloatConversion, formatFloat } from '../../builtins/printf-float.ts';
import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';

/** `%-5.2f` and its like. */
export interface Conversion {
  readonly letter: string;
  readonly flags: string;
  readonly width: number | '*' | undefined;
  readonly precision: number | '*' | undefined;
}

type FormatPiece = ShellText | Conversion;

const conversion = /%([-+ #0']*)(\*|\d*)(?:\.(\*|\d*))?(?:hh|h|ll|l|L|j|z|t)?([diouxXeEfFgGaAcs%])/g;
const remembered = new Map<ShellText, readonly FormatPiece[]>();
const mostRemembered = 256;
/** Past so many places a number of 64 bits has only zeros. */
const mostPlaces = 1100;

/** Splits a format at its conversions. What is none stays text. */
export function parseFormat(format: ShellText): readonly FormatPiece[] {
  const known = remembered.get(format);
  if (known) return known;
  const pieces: FormatPiece[] = [];
  let from = 0;
  for (const match of format.matchAll(conversion)) {
    const [whole, flags = '', width = '', precision, letter = ''] = match;
    if (match.index > from) pieces.push(format.slice(from, match.index));
    from = match.index + whole.length;
    if (letter === '%') {
      pieces.push('%');
      continue;
    }
    pieces.push({
      letter,
      flags,
      width: width === '*' ? '*' : width === '' ? undefined : Number(width),
      precision: precision === '*' ? '*' : precision === undefined ? undefined : Number(precision),
    });
  }
  if (from < format.length) pieces.push(format.slice(from));
  if (remembered.size >= mostRemembered) remembered.clear();
  if (format.length < 1024) remembered.set(format, pieces);
  return pieces;
}

/** A number as C's `printf` has it, whose widths are known by now. @throws ShellLimitError */
export function convertNumber(value: number, { letter, flags, width, precision }: Conversion): ShellText {
  const least = typeof width === 'number' ? width : 0;
  const places = typeof precision === 'number' ? precision : undefined;
  checkWidth(Math.max(least, places ?? 0));
  if ('diouxX'.includes(letter)) {
    if (!Number.isFinite(value))
      return pad(Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf', flags, least);
    return integer(Math.trunc(value), letter, { flags, width: least, precision: places });
  }
  if (places !== undefined && places > mostPlaces && 'eEfF'.includes(letter)) {
    const short = formatFloat(value, letter as FloatConversion, {
      flags,
      width: undefined,
      precision: mostPlaces,
    });
    const [, mantissa = '', exponent = ''] = /^([^e]*)(e.*)?$/i.exec(short) ?? [];
    return pad(mantissa + '0'.repeat(places - mostPlaces) + exponent, flags, least);
  }
  const shownPlaces = places === undefined ? undefined : Math.min(places, mostPlaces);
  return formatFloat(value, letter as FloatConversion, { flags, width: least, precision: shownPlaces });
}

export function checkWidth(width: number): void {
  if (width <= shellLimits.valueLength) return;
  throw new ShellLimitError('valueLength', `text of more than ${shellLimits.valueLength} characters`);
}

export function pad(text: ShellText, flags: string, width: number): ShellText {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}

function integer(
  value: number,
  letter: string,
  { flags, width, precision }: { flags: string; width: number; precision: number | undefined },
): ShellText {
  const isSigned = letter === 'd' || letter === 'i';
  const radix = letter === 'o' ? 8 : letter === 'x' || letter === 'X' ? 16 : 10;
  const magnitude = BigInt(Math.abs(value));
  let digits = (!isSigned && value < 0 ? BigInt.asUintN(64, -magnitude) : magnitude).toString(radix);
  if (precision === 0 && value === 0) digits = '';
  if (precision !== undefined) digits = digits.padStart(precision, '0');
  if (flags.includes('#') && radix === 8 && !digits.startsWith('0')) digits = `0${digits}`;
  if (letter === 'X') digits = digits.toUpperCase();
  const sign = !isSigned ? '' : value < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const prefix = flags.includes('#') && radix === 16 && value !== 0 ? `0${letter}` : sign;
  const isZeroed = flags.includes('0') && !flags.includes('-') && precision === undefined;
  if (isZeroed) return prefix + digits.padStart(width - prefix.length, '0');
  return pad(prefix + digits, flags, width);
}
