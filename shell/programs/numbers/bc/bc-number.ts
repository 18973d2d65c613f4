/** A decimal number: `units` of 10 to the power of minus `scale`. */
export interface BcNumber {
  readonly units: bigint;
  readonly scale: number;
}

export const zero: BcNumber = { units: 0n, scale: 0 };
export const one: BcNumber = { units: 1n, scale: 0 };

function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

export function numberOf(integer: number): BcNumber {
  return { units: BigInt(Math.trunc(integer)), scale: 0 };
}

/** With more or fewer digits after the point; what is cut off is lost, not rounded. */
export function rescale({ units, scale }: BcNumber, to: number): BcNumber {
  if (to === scale) return { units, scale };
  return to > scale
    ? { units: units * power10(to - scale), scale: to }
    : { units: units / power10(scale - to), scale: to };
}

export function negate({ units, scale }: BcNumber): BcNumber {
  return { units: -units, scale };
}

export function add(a: BcNumber, b: BcNumber): BcNumber {
  const scale = Math.max(a.scale, b.scale);
  return { units: rescale(a, scale).units + rescale(b, scale).units, scale };
}

export function subtract(a: BcNumber, b: BcNumber): BcNumber {
  return add(a, negate(b));
}

/** As POSIX has it: no more digits than both have together, nor than `scale` and either have. */
export function multiply(a: BcNumber, b: BcNumber, scale: number): BcNumber {
  const product = { units: a.units * b.units, scale: a.scale + b.scale };
  return rescale(product, Math.min(product.scale, Math.max(scale, a.scale, b.scale)));
}

/** `undefined` of a division by zero. */
export function divide(a: BcNumber, b: BcNumber, scale: number): BcNumber | undefined {
  if (b.units === 0n) return undefined;
  const shift = scale + b.scale - a.scale;
  const units = shift >= 0 ? a.units * power10(shift) : a.units / power10(-shift);
  return { units: units / b.units, scale };
}

export function remainder(a: BcNumber, b: BcNumber, scale: number): BcNumber | undefined {
  const quotient = divide(a, b, scale);
  if (quotient === undefined) return undefined;
  const full = Math.max(scale + b.scale, a.scale);
  const product = { units: quotient.units * b.units, scale: quotient.scale + b.scale };
  return rescale(subtract(a, product), full);
}

export function raise(base: BcNumber, exponent: bigint, scale: number): BcNumber | undefined {
  const size = exponent < 0n ? -exponent : exponent;
  const whole = { units: base.units ** size, scale: base.scale * Number(size) };
  if (exponent < 0n) return divide(one, whole, scale);
  return rescale(whole, Math.min(whole.scale, Math.max(scale, base.scale)));
}

/** `undefined` of a negative number. */
export function squareRoot(value: BcNumber, scale: number): BcNumber | undefined {
  if (value.units < 0n) return undefined;
  const digits = Math.max(scale, value.scale);
  const wanted = rescale(value, 2 * digits).units;
  if (wanted === 0n) return rescale(zero, digits);
  let root = 10n ** BigInt(Math.ceil(String(wanted).length / 2));
  for (;;) {
    const next = (root + wanted / root) / 2n;
    if (next >= root) return { units: root, scale: digits };
    root = next;
  }
}

export function compare(a: BcNumber, b: BcNumber): number {
  const { units } = subtract(a, b);
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}

/** A numeral in a base; digits past the base count as its largest in numerals of several digits. */
export function parseNumeral(text: string, base: number): BcNumber {
  const [whole = '', fraction = ''] = text.split('.');
  if (base === 10 && !/[A-F]/.test(text))
    return { units: BigInt(whole + fraction || '0'), scale: fraction.length };
  const isSingle = whole.length + fraction.length === 1;
  const digitOf = (character: string) => {
    const digit = Number.parseInt(character, 16);
    return BigInt(isSingle ? digit : Math.min(digit, base - 1));
  };
  const units = integerOf(whole, BigInt(base), digitOf);
  const numerator = integerOf(fraction, BigInt(base), digitOf);
  const part = (numerator * power10(fraction.length)) / BigInt(base) ** BigInt(fraction.length);
  return { units: units * power10(fraction.length) + part, scale: fraction.length };
}

/** By halves: digit after digit takes as long as the square of their number. */
function integerOf(digits: string, base: bigint, digitOf: (character: string) => bigint): bigint {
  if (digits.length <= 32) return [...digits].reduce((value, digit) => value * base + digitOf(digit), 0n);
  const middle = digits.length >> 1;
  const low = digits.slice(middle);
  return (
    integerOf(digits.slice(0, middle), base, digitOf) * base ** BigInt(low.length) +
    integerOf(low, base, digitOf)
  );
}

/** The decimal digits that so many bits are, not rounded. */
const digitsPerBit = Math.log10(2);

/** About how many decimal digits it has: less than one too many. */
export function digitCount(units: bigint): number {
  const hexadecimal = (units < 0n ? -units : units).toString(16);
  const firstBits = 32 - Math.clz32(Number.parseInt(hexadecimal[0] ?? '0', 16));
  return (4 * (hexadecimal.length - 1) + firstBits) * digitsPerBit;
}

/** A number as `bc` prints it: no zero before the point, digits after it as its scale says. */
export function printNumber(value: BcNumber, base: number): string {
  const isNegative = value.units < 0n;
  const absolute = isNegative ? -value.units : value.units;
  const divisor = power10(value.scale);
  const whole = absolute / divisor;
  const fraction = absolute % divisor;
  const sign = isNegative ? '-' : '';
  if (base === 10) {
    const digits = value.scale === 0 ? '' : `.${String(fraction).padStart(value.scale, '0')}`;
    const shown = whole === 0n && value.scale > 0 ? '' : String(whole);
    return absolute === 0n ? '0' : `${sign}${shown}${digits}`;
  }
  const digit = (index: bigint) =>
    base <= 16
      ? index.toString(16).toUpperCase()
      : ` ${String(index).padStart(String(base - 1).length, '0')}`;
  const left = whole === 0n ? '' : digitsIn(whole, BigInt(base)).map(digit).join('');
  let right = '';
  if (divisor > 1n) {
    const places = Math.max(1, Math.ceil(value.scale / Math.log10(base) - 1e-9));
    const power = BigInt(base) ** BigInt(places);
    const digits = digitsIn((fraction * power) / divisor, BigInt(base));
    right = [...Array<bigint>(Math.max(places - digits.length, 0)).fill(0n), ...digits]
      .map(digit)
      .join('')
      .trimStart();
  }
  if (absolute === 0n) return '0';
  return `${sign}${left === '' && right === '' ? '0' : left}${right === '' ? '' : `.${right}`}`;
}

/** Digits in a base, the first one first; none of 0. */
function digitsIn(value: bigint, base: bigint): bigint[] {
  const powers = [base];
  for (let last = base; last * last <= value; last = powers.at(-1) ?? value) powers.push(last * last);
  const digits: bigint[] = [];
  const divide = (rest: bigint, level: number): void => {
    const power = powers[level];
    if (power === undefined) {
      if (rest > 0n || digits.length > 0) digits.push(rest);
      return;
    }
    // Leading zeros are no digits; those within are.
    if (rest >= power || digits.length > 0) divide(rest / power, level - 1);
    divide(rest % power, level - 1);
  };
  divide(value, powers.length - 1);
  return digits;
}
