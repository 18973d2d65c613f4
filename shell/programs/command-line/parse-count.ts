import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';

const powers = 'KMGTPEZYRQ';

/** A number with one of GNU's suffixes: `b` 512, `kB` 1000, `K` 1024, `MB`, `M` …; `undefined` of what is none. */
export function parseCount(text: ShellText): number | undefined {
  const [, digits, suffix = ''] = /^\s*\+?(\d+)([a-zA-Z]*)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const factor = factorOf(suffix);
  return factor === undefined ? undefined : Number(digits) * factor;
}

function factorOf(suffix: string): number | undefined {
  if (suffix === '') return 1;
  if (suffix === 'b') return 512;
  if (suffix === 'c') return 1;
  if (suffix === 'w') return 2;
  const [, letter = '', unit] = /^([a-zA-Z])(B|iB)?$/.exec(suffix) ?? [];
  const power = powers.indexOf(letter === 'k' || letter === 'm' ? letter.toUpperCase() : letter) + 1;
  return power === 0 ? undefined : (unit === 'B' ? 1000 : 1024) ** power;
}

/** @throws ProgramError `invalid number of lines: 'x'` */
export function countOf(text: ShellText, what: string): number {
  const count = parseCount(text);
  if (count === undefined) throw new ProgramError(`${what}: ${quoteName(text)}`);
  return count;
}
