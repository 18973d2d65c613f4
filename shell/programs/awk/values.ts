import type { ShellText } from '../../text.ts';
import { compareText } from '../order/compare-text.ts';
import { convertNumber, parseFormat } from './conversions.ts';

/** `undefined` is what was never assigned: zero and the empty string at once. */
export type AwkValue = number | ShellText | InputText | undefined;

/** Text that came from outside, which is a number as well where it looks like one (POSIX: a numeric string). */
export class InputText {
  readonly text: ShellText;
  #number: number | undefined;
  #isRead = false;

  constructor(text: ShellText) {
    this.text = text;
  }

  /** `undefined` where it does not look like a number. */
  get number(): number | undefined {
    if (!this.#isRead) {
      this.#isRead = true;
      this.#number = wholeNumber(this.text);
    }
    return this.#number;
  }
}

const numeric = /^[ \t\n\v\f\r]*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\v\f\r]*$/;
const leading = /^[ \t\n\v\f\r]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
const shortDigits = 15;

/** A short row of digits, which most numbers are; -1 of anything else. */
function digitsOf(text: ShellText): number {
  const { length } = text;
  if (length === 0 || length > shortDigits) return -1;
  let value = 0;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function wholeNumber(text: ShellText): number | undefined {
  const digits = digitsOf(text);
  if (digits >= 0) return digits;
  return numeric.test(text) ? Number(text) : undefined;
}

/** The number that text begins with; zero where it begins with none. */
function leadingNumber(text: ShellText): number {
  const digits = digitsOf(text);
  return digits >= 0 ? digits : Number(leading.exec(text)?.[1] ?? 0);
}

export function toNumber(value: AwkValue): number {
  if (typeof value === 'number') return value;
  if (value === undefined) return 0;
  if (typeof value === 'string') return leadingNumber(value);
  return value.number ?? leadingNumber(value.text);
}

export function isTrue(value: AwkValue): boolean {
  if (typeof value === 'number') return value !== 0;
  if (value === undefined) return false;
  if (typeof value === 'string') return value !== '';
  return value.number === undefined ? value.text !== '' : value.number !== 0;
}

/** `format` is CONVFMT, or OFMT where it is printed. */
export function toText(value: AwkValue, format: ShellText): ShellText {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (typeof value === 'number') return numberText(value, format);
  return value.text;
}

const exactIntegers = 2 ** 53;

export function numberText(value: number, format: ShellText): ShellText {
  if (Number.isInteger(value)) {
    return value > -exactIntegers && value < exactIntegers ? `${value}` : `${BigInt(value)}`;
  }
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  return parseFormat(format)
    .map((piece) => (typeof piece === 'string' ? piece : convertNumber(value, piece)))
    .join('');
}

/** Less than zero, zero, or more: as numbers where both are, else as text. NaN where one is NaN. */
export function compareValues(left: AwkValue, right: AwkValue, format: ShellText): number {
  const first = numberIn(left);
  const second = numberIn(right);
  if (first !== undefined && second !== undefined) return first === second ? 0 : first - second;
  return compareText(toText(left, format), toText(right, format));
}

/** The number that a value is; `undefined` of text. */
export function numberIn(value: AwkValue): number | undefined {
  if (value === undefined) return 0;
  if (typeof value === 'string') return undefined;
  return typeof value === 'number' ? value : value.number;
}
