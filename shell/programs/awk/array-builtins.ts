import type { ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';
import type { AwkArray } from './awk-array.ts';
import { charactersBefore } from './characters.ts';
import type { Machine } from './machine.ts';
import { type Splitter, splitByRegex, splitterOf } from './split-text.ts';
import { type AwkValue, compareValues, InputText, numberIn } from './values.ts';

/** `split`: fills an array with what stands between separators. */
export function splitInto(
  machine: Machine,
  { text, array, separator }: { text: ShellText; array: AwkArray; separator: AwkValue | Regex | 'fs' },
): number {
  machine.spend(text.length);
  const parts = splitterFor(machine, separator)(text);
  array.clear();
  for (const [index, part] of parts.entries()) array.set(`${index + 1}`, new InputText(part));
  return parts.length;
}

function splitterFor(machine: Machine, separator: AwkValue | Regex | 'fs'): Splitter {
  if (separator === 'fs') return machine.settings.splitter;
  if (isRegex(separator)) return splitByRegex(separator);
  return splitterOf(machine.text(separator), { regexOf: (pattern) => machine.regexes.get(pattern) });
}

function isRegex(value: AwkValue | Regex): value is Regex {
  return typeof value === 'object' && !(value instanceof InputText);
}

/** `match`: where an expression matches, which RSTART and RLENGTH say too; its groups in an array (gawk). */
export function matchIn(
  machine: Machine,
  { text, regex, array }: { text: ShellText; regex: Regex; array: AwkArray | undefined },
): number {
  machine.spend(text.length);
  const match = regex.exec(text);
  array?.clear();
  const start = match === undefined ? 0 : charactersBefore(text, match.start) + 1;
  const length = match === undefined ? -1 : charactersBefore(text, match.end) + 1 - start;
  machine.assign('RSTART', start);
  machine.assign('RLENGTH', length);
  if (match === undefined || array === undefined) return start;
  const subsep = machine.settings.subsep;
  array.set('0', new InputText(text.slice(match.start, match.end)));
  array.set(`0${subsep}start`, start);
  array.set(`0${subsep}length`, length);
  let from = match.start;
  for (const [index, group] of match.groups.entries()) {
    if (group === undefined) continue;
    // Where a group stands is only known by what it holds.
    const at = Math.max(text.indexOf(group, from), match.start);
    from = at;
    array.set(`${index + 1}`, new InputText(group));
    array.set(`${index + 1}${subsep}start`, charactersBefore(text, at) + 1);
    array.set(`${index + 1}${subsep}length`, charactersBefore(group, group.length));
  }
  return start;
}

/** `asort` and `asorti` (gawk): numbers before text. Answers how many there are. */
export function sortInto(
  machine: Machine,
  { source, target, by }: { source: AwkArray; target: AwkArray; by: 'values' | 'indices' },
): number {
  const { convfmt } = machine.settings;
  const values = by === 'values' ? source.values() : source.keys();
  machine.spend(values.length * 16);
  values.sort((left, right) => {
    const isNumber = numberIn(left) !== undefined;
    if (isNumber !== (numberIn(right) !== undefined)) return isNumber ? -1 : 1;
    return compareValues(left, right, convfmt) || 0;
  });
  target.clear();
  for (const [index, value] of values.entries()) target.set(`${index + 1}`, value);
  return values.length;
}
