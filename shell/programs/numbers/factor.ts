import { decodeText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';
import { readAll } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';

export const factor: Program = defineProgram({
  usage: '[NUMBER]...',
  summary: 'Print the prime factors of each specified integer NUMBER.',
  async run({ call, operands, out, warn }) {
    const words =
      operands.length > 0
        ? operands
        : decodeText(await readAll(call.stdin, call.signal))
            .split(/\s+/)
            .filter((word) => word !== '');
    let status = 0;
    for (const word of words) {
      if (!/^\+?\d+$/.test(word)) {
        await warn(`${quoteName(word)} is not a valid positive integer`);
        status = 1;
        continue;
      }
      const number = BigInt(word);
      const factors = await factorsOf(number, call);
      out.add(`${number}:${factors.map((prime) => ` ${prime}`).join('')}\n`);
    }
    return status;
  },
});

const trialLimit = 10_000n;

async function factorsOf(number: bigint, call: ProgramCall): Promise<bigint[]> {
  const factors: bigint[] = [];
  let left = number;
  for (
    let divisor = 2n;
    divisor < trialLimit && divisor * divisor <= left;
    divisor += divisor === 2n ? 1n : 2n
  ) {
    while (left > 0n && left % divisor === 0n) {
      factors.push(divisor);
      left /= divisor;
    }
  }
  const steps = new Steps(call.signal);
  const waiting = left > 1n ? [left] : [];
  for (let composite = waiting.pop(); composite !== undefined; composite = waiting.pop()) {
    if (composite < trialLimit * trialLimit || isPrime(composite)) factors.push(composite);
    else {
      const divisor = await findDivisor(composite, steps);
      waiting.push(divisor, composite / divisor);
    }
  }
  return factors.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Miller-Rabin; these witnesses suffice below 3.3e24, and past it a mistake is next to impossible. */
function isPrime(number: bigint): boolean {
  let odd = number - 1n;
  let twos = 0;
  for (; odd % 2n === 0n; odd /= 2n) twos += 1;
  for (const witness of [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n]) {
    let value = power(witness, odd, number);
    if (value === 1n || value === number - 1n) continue;
    let isComposite = true;
    for (let round = 1; round < twos && isComposite; round++) {
      value = (value * value) % number;
      if (value === number - 1n) isComposite = false;
    }
    if (isComposite) return false;
  }
  return true;
}

/** Pollard's rho. */
async function findDivisor(number: bigint, steps: Steps): Promise<bigint> {
  for (let increment = 1n; ; increment++) {
    let [slow, fast, divisor] = [2n, 2n, 1n];
    for (let round = 0; divisor === 1n; round++) {
      slow = (slow * slow + increment) % number;
      fast = (fast * fast + increment) % number;
      fast = (fast * fast + increment) % number;
      divisor = greatestCommonDivisor(slow > fast ? slow - fast : fast - slow, number);
      if (round % 256 === 0) await steps.next();
    }
    if (divisor !== number) return divisor;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [high, low] = [a, b];
  while (low !== 0n) [high, low] = [low, high % low];
  return high;
}
