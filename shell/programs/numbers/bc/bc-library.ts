import type { Steps } from '../../streams/steps.ts';
import {
  add,
  type BcNumber,
  compare,
  divide,
  multiply,
  negate,
  numberOf,
  one,
  rescale,
  squareRoot,
  subtract,
  zero,
} from './bc-number.ts';

/** Digits that are computed and not shown. */
const guardDigits = 12;

const half: BcNumber = { units: 5n, scale: 1 };

function quotient(a: BcNumber, b: BcNumber, scale: number): BcNumber {
  return divide(a, b, scale) ?? zero;
}

/** The functions of `bc -l`, by series. */
export async function exponential(value: BcNumber, scale: number, steps: Steps): Promise<BcNumber> {
  const magnitude = Math.abs(Number(value.units)) / 10 ** value.scale;
  if (magnitude > 100_000) return zero;
  const digits = scale + guardDigits + Math.ceil(magnitude);
  // Halved until it is small, then squared as often.
  let [small, halvings] = [rescale(value, digits), 0];
  while (compare(small.units < 0n ? negate(small) : small, half) > 0) {
    small = quotient(small, numberOf(2), digits + 4);
    halvings += 1;
  }
  let [sum, term] = [one, one];
  for (let index = 1; term.units !== 0n; index++) {
    if (steps.isDue) await steps.next();
    term = quotient(multiply(term, small, digits), numberOf(index), digits);
    sum = add(sum, term);
  }
  for (let count = 0; count < halvings; count++) {
    sum = multiply(sum, sum, digits);
    if (steps.isDue) await steps.next();
  }
  return rescale(sum, scale);
}

export async function logarithm(value: BcNumber, scale: number, steps: Steps): Promise<BcNumber> {
  if (value.units <= 0n) return subtract(one, { units: 10n ** BigInt(scale), scale: 0 });
  const digits = scale + guardDigits;
  let [reduced, factor] = [rescale(value, digits), 2n];
  const [low, high] = [half, numberOf(2)];
  while (compare(reduced, high) >= 0 || compare(reduced, low) <= 0) {
    if (steps.isDue) await steps.next();
    reduced = squareRoot(reduced, digits + guardDigits) ?? reduced;
    factor *= 2n;
  }
  const ratio = quotient(subtract(reduced, one), add(reduced, one), digits);
  return rescale(
    { units: (await oddPowers(ratio, { digits, alternates: false, steps })).units * factor, scale: digits },
    scale,
  );
}

/** x + x³/3 + x⁵/5 …, or with alternating signs. */
async function oddPowers(
  value: BcNumber,
  { digits, alternates, steps }: { digits: number; alternates: boolean; steps: Steps },
): Promise<BcNumber> {
  const square = multiply(value, value, digits);
  let [sum, power] = [rescale(value, digits), rescale(value, digits)];
  for (let index = 3; ; index += 2) {
    if (steps.isDue) await steps.next();
    power = multiply(power, square, digits);
    const term = quotient(power, numberOf(index), digits);
    if (term.units === 0n) return rescale(sum, digits);
    const isSubtracted = alternates && index % 4 === 3;
    sum = isSubtracted ? subtract(sum, term) : add(sum, term);
  }
}

export async function arctangent(value: BcNumber, scale: number, steps: Steps): Promise<BcNumber> {
  const digits = scale + guardDigits;
  let [reduced, factor] = [rescale(value, digits), 1n];
  const limit: BcNumber = { units: 2n, scale: 1 };
  // atan x = 2 atan(x / (1 + sqrt(1 + x²)))
  while (compare(reduced.units < 0n ? negate(reduced) : reduced, limit) > 0) {
    if (steps.isDue) await steps.next();
    const root = squareRoot(add(one, multiply(reduced, reduced, digits)), digits) ?? one;
    reduced = quotient(reduced, add(one, root), digits);
    factor *= 2n;
  }
  return rescale(
    { units: (await oddPowers(reduced, { digits, alternates: true, steps })).units * factor, scale: digits },
    scale,
  );
}

async function pi(digits: number, steps: Steps): Promise<BcNumber> {
  return {
    units: (await arctangent(one, digits + guardDigits, steps)).units * 4n,
    scale: digits + guardDigits,
  };
}

export async function sine(value: BcNumber, scale: number, steps: Steps): Promise<BcNumber> {
  const digits = scale + guardDigits + String(value.units).length;
  const circle = { units: (await pi(digits, steps)).units * 2n, scale: digits + guardDigits };
  const turns = quotient(value, circle, 0);
  const angle = rescale(subtract(value, { units: turns.units * circle.units, scale: circle.scale }), digits);
  const square = multiply(angle, angle, digits);
  let [sum, term] = [angle, angle];
  for (let index = 2; term.units !== 0n; index += 2) {
    if (steps.isDue) await steps.next();
    term = negate(quotient(multiply(term, square, digits), numberOf(index * (index + 1)), digits));
    sum = add(sum, term);
  }
  return rescale(sum, scale);
}

export async function cosine(value: BcNumber, scale: number, steps: Steps): Promise<BcNumber> {
  const quarter = quotient(await pi(scale + guardDigits, steps), numberOf(2), scale + guardDigits);
  return sine(add(value, quarter), scale, steps);
}
