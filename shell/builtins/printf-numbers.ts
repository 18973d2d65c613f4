import { encodeText, type ShellText } from '../text.ts';

export interface ParsedNumber<Value> {
  readonly value: Value;
  /** What is wrong with the argument, of which the value is what could be read. */
  readonly problem?: string;
}

const max = 2n ** 63n - 1n;
const maxUnsigned = 2n ** 64n - 1n;

/** An integer as C's `strtoimax` or `strtoumax` reads it, or the code of the character after a quote. */
export function parseInteger(text: ShellText, sign: 'signed' | 'unsigned'): ParsedNumber<bigint> {
  const code = characterCode(text);
  if (code !== undefined) return { value: BigInt(code) };
  const [matched, minus = '', digits = ''] =
    /^\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)/.exec(text) ?? [];
  if (matched === undefined) {
    return text.trim() === '' && text === ''
      ? { value: 0n }
      : { value: 0n, problem: `${text}: invalid number` };
  }
  const isOctal = /^0[0-7]/.test(digits);
  const magnitude = BigInt(isOctal ? `0o${digits.slice(1)}` : digits);
  const value = minus === '-' ? -magnitude : magnitude;
  if (matched.length < text.length) return { value: clamp(value, sign), problem: `${text}: invalid number` };
  const clamped = clamp(value, sign);
  return clamped === value || (sign === 'unsigned' && magnitude <= maxUnsigned)
    ? { value: clamped }
    : { value: clamped, problem: `warning: ${text}: Numerical result out of range` };
}

function clamp(value: bigint, sign: 'signed' | 'unsigned'): bigint {
  if (sign === 'unsigned')
    return value > maxUnsigned || value < -maxUnsigned ? maxUnsigned : BigInt.asUintN(64, value);
  if (value > max) return max;
  return value < -max - 1n ? -max - 1n : value;
}

/** The code of the character after `'` or `"`. */
function characterCode(text: ShellText): number | undefined {
  if (!/^['"]/.test(text)) return undefined;
  const code = text.codePointAt(1) ?? 0;
  return code >= 0xdc80 && code <= 0xdcff ? (encodeText(text[1] ?? '')[0] ?? 0) : code;
}

/** A number as C's `strtod` reads it. */
export function parseFloating(text: ShellText): ParsedNumber<number> {
  const code = characterCode(text);
  if (code !== undefined) return { value: code };
  if (text === '') return { value: 0 };
  const [matched, sign = '', digits = ''] =
    /^\s*([-+]?)(0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][-+]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)/i.exec(
      text,
    ) ?? [];
  if (matched === undefined) return { value: 0, problem: `${text}: invalid number` };
  const magnitude = magnitudeOf(digits.toLowerCase());
  const value = sign === '-' ? -magnitude : magnitude;
  return matched.length < text.length ? { value, problem: `${text}: invalid number` } : { value };
}

function magnitudeOf(digits: string): number {
  if (digits.startsWith('inf')) return Number.POSITIVE_INFINITY;
  if (digits === 'nan') return Number.NaN;
  if (!digits.startsWith('0x')) return Number(digits);
  const [, whole = '', fraction = '', exponent = '0'] =
    /^0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([-+]?\d+))?$/.exec(digits) ?? [];
  const mantissa = Number.parseInt(`${whole}${fraction}` || '0', 16);
  return mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
}

/** Lays out an integer as C's `printf` does. */
export function formatInteger(
  value: bigint,
  letter: 'd' | 'i' | 'o' | 'u' | 'x' | 'X',
  { flags, width, precision }: { flags: string; width: number | undefined; precision: number | undefined },
): ShellText {
  const isSigned = letter === 'd' || letter === 'i';
  const number = isSigned ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  const magnitude = number < 0n ? -number : number;
  const radix = letter === 'o' ? 8 : letter === 'x' || letter === 'X' ? 16 : 10;
  let digits = precision === 0 && magnitude === 0n ? '' : magnitude.toString(radix);
  if (precision !== undefined) digits = digits.padStart(precision, '0');
  if (flags.includes('#') && letter === 'o' && !digits.startsWith('0')) digits = `0${digits}`;
  const prefix = flags.includes('#') && radix === 16 && magnitude !== 0n ? '0x' : '';
  const sign =
    number < 0n ? '-' : isSigned && flags.includes('+') ? '+' : isSigned && flags.includes(' ') ? ' ' : '';
  const fillsZeros = flags.includes('0') && !flags.includes('-') && precision === undefined;
  const laid = layOut(sign + prefix, digits, { flags, width, fillsZeros });
  return letter === 'X' ? laid.toUpperCase() : laid;
}

/** Pads a number, with zeros between its sign and its digits or with spaces around it. */
export function layOut(
  prefix: string,
  digits: string,
  { flags, width = 0, fillsZeros }: { flags: string; width: number | undefined; fillsZeros: boolean },
): string {
  const length = prefix.length + digits.length;
  if (fillsZeros && width > length) return prefix + digits.padStart(width - prefix.length, '0');
  return flags.includes('-') ? (prefix + digits).padEnd(width) : (prefix + digits).padStart(width);
}
