import type { ShellText } from '../../text.ts';
import { quoteName } from '../messages/quote-name.ts';

export type Scale = 'none' | 'si' | 'iec' | 'iec-i' | 'auto';
export type Rounding = 'up' | 'down' | 'from-zero' | 'towards-zero' | 'nearest';

const powers = 'KMGTPEZY';

/** A number that cannot be read. The message is as numfmt(1) has it. */
export class ScaledNumberProblem extends Error {}

/** Reads a number with a suffix as the scale has it. `decimals` are the digits after its point. */
export function readScaled(
  text: ShellText,
  scale: Scale,
): { readonly value: number; readonly decimals: number } {
  const shown = quoteName(text);
  const match = /^(-?\d+(?:\.(\d+))?)([\s\S]*)$/.exec(text);
  if (match === null) throw new ScaledNumberProblem(`invalid number: ${shown}`);
  const [, digits = '', fraction = '', suffix = ''] = match;
  const decimals = fraction.length;
  if (suffix === '') {
    return { value: Number(digits), decimals };
  }
  const power = powers.indexOf(suffix[0] ?? '') + 1;
  const rest = suffix.slice(1);
  if (power === 0) throw new ScaledNumberProblem(`invalid suffix in input: ${shown}`);
  if (scale === 'none')
    throw new ScaledNumberProblem(`rejecting suffix in input: ${shown} (consider using --from)`);
  const isBinary = rest.startsWith('i') && (scale === 'auto' || scale === 'iec-i');
  if (scale === 'iec-i' && !isBinary)
    throw new ScaledNumberProblem(`missing 'i' suffix in input: ${shown} (e.g Ki/Mi/Gi)`);
  const trailing = rest.slice(isBinary ? 1 : 0);
  if (trailing !== '')
    throw new ScaledNumberProblem(`invalid suffix in input ${shown}: ${quoteName(trailing)}`);
  const base = isBinary || scale === 'iec' ? 1024 : 1000;
  return { value: Number(digits) * base ** power, decimals: 0 };
}

/** The number as the scale has it: one digit after the point below 10, unless it is said how many. */
export function showScaled(
  number: number,
  {
    scale,
    rounding,
    decimals,
    usual,
  }: { scale: Scale; rounding: Rounding; decimals: number | undefined; usual: number },
): string {
  if (scale === 'none') {
    const digits = decimals ?? usual;
    return fixed(rounded(number * 10 ** digits, rounding) / 10 ** digits, digits);
  }
  const base = scale === 'si' ? 1000 : 1024;
  let [value, power] = [number, 0];
  while (Math.abs(value) >= base && power < powers.length) {
    value /= base;
    power += 1;
  }
  const places = decimals === undefined ? (Math.abs(value) < 10 ? 1 : 0) : Math.min(power * 3, decimals);
  value = rounded(value * 10 ** places, rounding) / 10 ** places;
  if (Math.abs(value) >= base) {
    value /= base;
    power += 1;
  }
  const shown = decimals ?? (value !== 0 && Math.abs(value) < 10 && power > 0 ? 1 : 0);
  const suffix = power === 0 ? '' : `${powers[power - 1] ?? ''}${scale === 'iec-i' ? 'i' : ''}`;
  return `${fixed(value, shown)}${suffix}`;
}

function fixed(value: number, digits: number): string {
  return Math.abs(value) < 1e21 ? value.toFixed(Math.min(digits, 100)) : BigInt(Math.trunc(value)).toString();
}

function rounded(value: number, rounding: Rounding): number {
  switch (rounding) {
    case 'up':
      return Math.ceil(value);
    case 'down':
      return Math.floor(value);
    case 'towards-zero':
      return Math.trunc(value);
    case 'nearest':
      return Math.sign(value) * Math.round(Math.abs(value));
    default:
      return value < 0 ? Math.floor(value) : Math.ceil(value);
  }
}
