import type { ShellText } from '../../text.ts';
import { calendarTime, epochSecondsOf } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { utc } from '../../time/time-zone.ts';
import { zoneOfCall } from '../time/now.ts';
import { AwkProblem } from './awk-problem.ts';
import { characterCount, charactersBefore, sliceCharacters } from './characters.ts';
import { formatValues } from './format-values.ts';
import type { Machine } from './machine.ts';
import { type AwkValue, toNumber } from './values.ts';

interface Builtin {
  readonly least: number;
  readonly most: number;
  apply(machine: Machine, args: readonly AwkValue[]): AwkValue;
}

/** Built-in functions that compute a value of values. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['length', { least: 0, most: 1, apply: length }],
  ['substr', { least: 2, most: 3, apply: substring }],
  ['index', { least: 2, most: 2, apply: index }],
  ['sprintf', { least: 1, most: Number.POSITIVE_INFINITY, apply: format }],
  ['tolower', text((value) => value.toLowerCase())],
  ['toupper', text((value) => value.toUpperCase())],
  ['int', number(Math.trunc)],
  ['sqrt', number(Math.sqrt)],
  ['exp', number(Math.exp)],
  ['log', number(Math.log)],
  ['sin', number(Math.sin)],
  ['cos', number(Math.cos)],
  ['atan2', two(Math.atan2)],
  ['and', { least: 2, most: 64, apply: bits((a, b) => a & b) }],
  ['or', { least: 2, most: 64, apply: bits((a, b) => a | b) }],
  ['xor', { least: 2, most: 64, apply: bits((a, b) => a ^ b) }],
  ['lshift', two((value, count) => Number(BigInt.asUintN(64, whole(value) << shift(count))))],
  ['rshift', two((value, count) => Number(whole(value) >> shift(count)))],
  ['compl', number((value) => Number((2n ** 53n - 1n) ^ whole(value)))],
  ['strtonum', { least: 1, most: 1, apply: numberOfText }],
  ['rand', { least: 0, most: 0, apply: ({ random }) => random.next() }],
  ['srand', { least: 0, most: 1, apply: seed }],
  ['systime', { least: 0, most: 0, apply: () => Math.floor(Date.now() / 1000) }],
  ['strftime', { least: 0, most: 3, apply: formatTime }],
  ['mktime', { least: 1, most: 2, apply: timeOf }],
]);

function text(change: (value: ShellText) => ShellText): Builtin {
  return {
    least: 1,
    most: 1,
    apply: (machine, [value]) => {
      const given = machine.text(value);
      machine.spend(given.length);
      return change(given);
    },
  };
}

function number(compute: (value: number) => number): Builtin {
  return { least: 1, most: 1, apply: (_, [value]) => compute(toNumber(value)) };
}

function two(compute: (first: number, second: number) => number): Builtin {
  return { least: 2, most: 2, apply: (_, [first, second]) => compute(toNumber(first), toNumber(second)) };
}

function length(machine: Machine, args: readonly AwkValue[]): AwkValue {
  const given = args.length === 0 ? machine.fields.record.text : machine.text(args[0]);
  machine.spend(given.length);
  return characterCount(given);
}

/** A start before the first character is the first one. What is no whole number is cut off. */
function substring(machine: Machine, args: readonly AwkValue[]): AwkValue {
  const [value, first, count] = args;
  const given = machine.text(value);
  machine.spend(given.length);
  const start = Math.max(Math.trunc(toNumber(first)) || 0, 1) - 1;
  const length = args.length < 3 ? given.length : Math.trunc(toNumber(count)) || 0;
  if (length <= 0 || start >= given.length) return '';
  return sliceCharacters(given, start, Math.min(start + length, given.length));
}

function index(machine: Machine, [value, wanted]: readonly AwkValue[]): AwkValue {
  const given = machine.text(value);
  machine.spend(given.length);
  const unit = given.indexOf(machine.text(wanted));
  return unit < 0 ? 0 : charactersBefore(given, unit) + 1;
}

function format(machine: Machine, [pattern, ...args]: readonly AwkValue[]): AwkValue {
  return formatValues(machine.text(pattern), args, { convfmt: machine.settings.convfmt, name: 'sprintf' });
}

function bits(combine: (first: bigint, second: bigint) => bigint): Builtin['apply'] {
  return (_, args) => Number(args.map((value) => whole(toNumber(value))).reduce(combine));
}

function whole(value: number): bigint {
  if (!Number.isFinite(value) || value < 0) throw new AwkProblem('bits of a negative number or of none');
  return BigInt(Math.trunc(value));
}

function shift(count: number): bigint {
  return whole(Math.min(count, 64));
}

function numberOfText(machine: Machine, [value]: readonly AwkValue[]): AwkValue {
  if (typeof value === 'number') return value;
  const given = machine.text(value).trim();
  const hexadecimal = /^([-+]?)0[xX]([0-9a-fA-F]+)/.exec(given);
  if (hexadecimal) return Number(`0x${hexadecimal[2]}`) * (hexadecimal[1] === '-' ? -1 : 1);
  const octal = /^([-+]?)0([0-7]+)(?![\d.eE])/.exec(given);
  if (octal) return Number(`0o${octal[2]}`) * (octal[1] === '-' ? -1 : 1);
  return toNumber(value);
}

function seed(machine: Machine, args: readonly AwkValue[]): AwkValue {
  return machine.random.seed(args.length === 0 ? Math.floor(Date.now() / 1000) : toNumber(args[0]));
}

const longestFormat = 65_536;

function formatTime(machine: Machine, [pattern, time, isUtc]: readonly AwkValue[]): AwkValue {
  const given = pattern === undefined ? '%a %b %e %H:%M:%S %Z %Y' : machine.text(pattern);
  if (given.length > longestFormat) throw new AwkProblem('strftime: format too long');
  const seconds = time === undefined ? Math.floor(Date.now() / 1000) : Math.trunc(toNumber(time));
  if (!(Math.abs(seconds) < 1e14)) throw new AwkProblem('strftime: time out of range');
  const zone = toNumber(isUtc) !== 0 ? utc : zoneOfCall(machine);
  return formatDate(given, calendarTime({ seconds, nanoseconds: 0 }, zone));
}

/** `YYYY MM DD HH MM SS`; what is out of range carries over. -1 of anything else. */
function timeOf(machine: Machine, [value, isUtc]: readonly AwkValue[]): AwkValue {
  const parts = machine
    .text(value)
    .trim()
    .split(/[ \t]+/)
    .map(Number);
  if (parts.length < 6 || parts.some((part) => !Number.isInteger(part) || Math.abs(part) > 1e9)) return -1;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const zone = toNumber(isUtc) !== 0 ? utc : zoneOfCall(machine);
  return epochSecondsOf({ year, month, day, hour, minute, second }, zone);
}
