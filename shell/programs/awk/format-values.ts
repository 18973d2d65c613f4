import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { AwkProblem } from './awk-problem.ts';
import { characterCount, sliceCharacters } from './characters.ts';
import { type Conversion, checkWidth, convertNumber, pad, parseFormat } from './conversions.ts';
import { type AwkValue, numberIn, toNumber, toText } from './values.ts';

/** `sprintf`. @throws AwkProblem where arguments are missing, ShellLimitError */
export function formatValues(
  format: ShellText,
  args: readonly AwkValue[],
  { convfmt, name }: { convfmt: ShellText; name: 'printf' | 'sprintf' },
): ShellText {
  let text = '';
  let at = 0;
  const next = (): AwkValue => {
    if (at >= args.length) throw new AwkProblem(`not enough arguments passed to ${name}("${format}")`);
    const value = args[at];
    at += 1;
    return value;
  };
  for (const piece of parseFormat(format)) {
    text += typeof piece === 'string' ? piece : converted(sized(piece, next), next(), convfmt);
    if (text.length > shellLimits.valueLength) {
      throw new ShellLimitError('valueLength', `text of more than ${shellLimits.valueLength} characters`);
    }
  }
  return text;
}

type Sized = Conversion & { readonly width: number | undefined; readonly precision: number | undefined };

/** Takes the widths that are arguments. */
function sized(piece: Conversion, next: () => AwkValue): Sized {
  const width = piece.width === '*' ? Math.trunc(toNumber(next())) || 0 : piece.width;
  const precision = piece.precision === '*' ? Math.trunc(toNumber(next())) || 0 : piece.precision;
  const isNegative = width !== undefined && width < 0;
  return {
    letter: piece.letter,
    flags: isNegative ? `${piece.flags}-` : piece.flags,
    width: isNegative ? -width : width,
    precision: precision !== undefined && precision < 0 ? undefined : precision,
  };
}

function converted(piece: Sized, value: AwkValue, convfmt: ShellText): ShellText {
  const { letter, flags, width = 0, precision } = piece;
  if (letter !== 's' && letter !== 'c') return convertNumber(toNumber(value), piece);
  checkWidth(width);
  let shown = letter === 's' ? toText(value, convfmt) : character(value, convfmt);
  if (letter === 's' && precision !== undefined) shown = sliceCharacters(shown, 0, precision);
  if (width === 0) return shown;
  return pad(shown, flags, width + shown.length - characterCount(shown));
}

function character(value: AwkValue, convfmt: ShellText): ShellText {
  const code = value === undefined ? undefined : numberIn(value);
  if (code === undefined) return sliceCharacters(toText(value, convfmt), 0, 1);
  const whole = Math.trunc(code) || 0;
  const isCharacter = whole >= 0 && whole <= 0x10ffff && (whole < 0xd800 || whole > 0xdfff);
  return String.fromCodePoint(isCharacter ? whole : whole & 0xff);
}
