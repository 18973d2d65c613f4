import { layOut } from './printf-numbers.ts';

export type FloatConversion = 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A';

/** Lays out a floating number as C's `printf` does. */
export function formatFloat(
  value: number,
  letter: FloatConversion,
  { flags, width, precision }: { flags: string; width: number | undefined; precision: number | undefined },
): string {
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const magnitude = Math.abs(value);
  const isNumber = Number.isFinite(magnitude);
  const digits = isNumber
    ? digitsOf(magnitude, letter.toLowerCase(), { precision, keepsPoint: flags.includes('#') })
    : Number.isNaN(value)
      ? 'nan'
      : 'inf';
  const fillsZeros = flags.includes('0') && !flags.includes('-') && isNumber;
  const laid = layOut(sign, digits, { flags, width, fillsZeros });
  return letter === letter.toUpperCase() ? laid.toUpperCase() : laid;
}

interface Digits {
  readonly precision: number | undefined;
  /** `#`: a point even where no digits follow, and zeros at the end. */
  readonly keepsPoint: boolean;
}

/** Digits that a double has at most, between its first and its last that is not zero. */
const mostDigits = 767;

function digitsOf(value: number, letter: string, { precision, keepsPoint }: Digits): string {
  if (letter === 'f') return fixed(value, precision ?? 6, keepsPoint);
  if (letter === 'e') return exponential(value, precision ?? 6, keepsPoint);
  if (letter === 'a') return hexadecimal(value, precision);
  const significant =
    precision === 0 ? 1 : keepsPoint ? (precision ?? 6) : Math.min(precision ?? 6, mostDigits);
  const exponent = Number(/e([-+]\d+)$/.exec(exponential(value, significant - 1, false))?.[1] ?? 0);
  const isSmall = exponent < -4 || exponent >= significant;
  const text = isSmall
    ? exponential(value, significant - 1, keepsPoint)
    : fixed(value, significant - 1 - exponent, keepsPoint);
  if (keepsPoint) return text;
  const [mantissa = '', power] = text.split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return power === undefined ? short : `${short}e${power}`;
}

/** Places after the point that a double has at most: it is a multiple of 2 ** -1074. */
const mostPlaces = 1074;

/** Exact for any number of places: halves are of the binary number, not of what it prints as. */
function fixed(value: number, places: number, keepsPoint: boolean): string {
  if (places > mostPlaces) return fixed(value, mostPlaces, false) + '0'.repeat(places - mostPlaces);
  const { mantissa, exponent } = parts(value);
  const scaled = mantissa * 10n ** BigInt(places);
  const rounded = exponent >= 0 ? scaled << BigInt(exponent) : roundedShift(scaled, BigInt(-exponent));
  const digits = rounded.toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  if (places === 0) return keepsPoint ? `${whole}.` : whole;
  return `${whole}.${digits.slice(digits.length - places)}`;
}

function exponential(value: number, places: number, keepsPoint: boolean): string {
  const [mantissa = '', power = '+0'] =
    places <= 100
      ? value.toExponential(places).split('e')
      : padded(value.toExponential(100), places).split('e');
  const exponent = Number(power);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}${keepsPoint && places === 0 ? '.' : ''}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function padded(text: string, places: number): string {
  const [mantissa = '', power = ''] = text.split('e');
  return `${mantissa.padEnd(places + 2, '0')}e${power}`;
}

/** `value` is `mantissa * 2 ** exponent`. */
function parts(value: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const all = bits.getBigUint64(0);
  const fraction = all & (2n ** 52n - 1n);
  const biased = Number((all >> 52n) & 0x7ffn);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (2n ** 52n), exponent: biased - 1075 };
}

/** Divides by a power of two: halves to the even number. */
function roundedShift(value: bigint, shift: bigint): bigint {
  const floor = value >> shift;
  const rest = value - (floor << shift);
  const half = 1n << (shift - 1n);
  if (rest > half || (rest === half && floor % 2n === 1n)) return floor + 1n;
  return floor;
}

/** As x86's long double prints: four bits before the point. */
function hexadecimal(value: number, precision: number | undefined): string {
  if (value === 0) return `0x0${precision ? `.${'0'.repeat(precision)}` : ''}p+0`;
  let { mantissa, exponent } = parts(value);
  while (mantissa < 2n ** 63n) {
    mantissa <<= 1n;
    exponent -= 1;
  }
  if (precision !== undefined && precision < 15) {
    mantissa = roundedShift(mantissa, BigInt(60 - 4 * precision)) << BigInt(60 - 4 * precision);
  }
  const digits = mantissa.toString(16);
  const power = exponent + 60 + 4 * (digits.length - 16);
  const fraction = digits
    .slice(1)
    .replace(/0+$/, '')
    .padEnd(precision ?? 0, '0');
  return `0x${digits[0]}${fraction === '' ? '' : `.${fraction}`}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}
