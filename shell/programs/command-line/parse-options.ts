import type { ShellText } from '../../text.ts';
import { UsageError } from '../messages/program-error.ts';
import type { OptionForm, OptionTable } from './option-table.ts';

/** Options as they were given, in order, and what is left: the operands. */
export class ParsedOptions<Key extends string> {
  readonly given: readonly {
    readonly key: Key | 'help' | 'version';
    readonly value: ShellText | undefined;
  }[];
  readonly operands: readonly ShellText[];

  constructor(given: ParsedOptions<Key>['given'], operands: readonly ShellText[]) {
    this.given = given;
    this.operands = operands;
  }

  has(...keys: (Key | 'help' | 'version')[]): boolean {
    return this.given.some(({ key }) => keys.includes(key));
  }

  /** How often it was given. */
  count(key: Key): number {
    return this.given.filter((option) => option.key === key).length;
  }

  /** The argument of the last one. */
  value(key: Key): ShellText | undefined {
    return this.given.findLast((option) => option.key === key)?.value;
  }

  values(key: Key): readonly ShellText[] {
    return this.given.flatMap((option) => (option.key === key ? [option.value ?? ''] : []));
  }

  /** Which of them was given last. */
  last<Some extends Key>(...keys: Some[]): Some | undefined {
    return this.given.findLast(({ key }) => (keys as string[]).includes(key))?.key as Some | undefined;
  }
}

export interface ParseRules {
  /** Operands may stand between options. Default: they may. */
  readonly permutes?: boolean;
}

/** Parses arguments as GNU's getopt_long does. @throws UsageError in its words */
export function parseOptions<Key extends string>(
  args: readonly ShellText[],
  table: OptionTable,
  { permutes = true }: ParseRules = {},
): ParsedOptions<Key> {
  const given: { key: Key; value: ShellText | undefined }[] = [];
  const operands: ShellText[] = [];
  const left = [...args].reverse();
  const take = ({ key }: OptionForm, value: ShellText | undefined) => given.push({ key: key as Key, value });
  /** Arguments may be more than a call takes. */
  const takeRest = () => {
    for (let operand = left.pop(); operand !== undefined; operand = left.pop()) operands.push(operand);
  };
  for (let argument = left.pop(); argument !== undefined; argument = left.pop()) {
    if (argument === '--') {
      takeRest();
      break;
    }
    if (argument === '-' || !argument.startsWith('-')) {
      operands.push(argument);
      if (permutes) continue;
      takeRest();
      break;
    }
    if (argument.startsWith('--')) readLong(argument, { table, left, take });
    else readShorts(argument, { table, left, take });
  }
  return new ParsedOptions(given, operands);
}

interface Reading {
  readonly table: OptionTable;
  /** The arguments that follow, the next one last. */
  readonly left: ShellText[];
  readonly take: (form: OptionForm, value: ShellText | undefined) => void;
}

function readLong(argument: ShellText, { table, left, take }: Reading): void {
  const equals = argument.indexOf('=');
  const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
  const value = equals < 0 ? undefined : argument.slice(equals + 1);
  const [full, form] = findLong(name, table);
  if (form.argument === 'none' && value !== undefined) {
    throw new UsageError(`option '--${full}' doesn't allow an argument`);
  }
  if (form.argument !== 'required' || value !== undefined) {
    take(form, value);
    return;
  }
  const next = left.pop();
  if (next === undefined) throw new UsageError(`option '--${full}' requires an argument`);
  take(form, next);
}

/** By its name, or by the beginning of it that no other option has. */
function findLong(name: string, { longs }: OptionTable): [string, OptionForm] {
  const exact = longs.get(name);
  if (exact) return [name, exact];
  const candidates = [...longs].filter(([long]) => long.startsWith(name));
  const [first] = candidates;
  if (first === undefined) throw new UsageError(`unrecognized option '--${name}'`);
  if (candidates.some(([, form]) => form !== first[1])) {
    const possibilities = candidates.map(([long]) => ` '--${long}'`).join('');
    throw new UsageError(`option '--${name}' is ambiguous; possibilities:${possibilities}`);
  }
  return first;
}

function readShorts(argument: ShellText, { table, left, take }: Reading): void {
  for (let at = 1; at < argument.length; at++) {
    const letter = String.fromCodePoint(argument.codePointAt(at) ?? 0);
    const form = table.shorts.get(letter);
    if (form === undefined) throw new UsageError(`invalid option -- '${letter}'`);
    if (form.argument === 'none') {
      take(form, undefined);
      continue;
    }
    const rest = argument.slice(at + 1);
    if (rest !== '' || form.argument === 'optional') {
      take(form, rest === '' ? undefined : rest);
      return;
    }
    const next = left.pop();
    if (next === undefined) throw new UsageError(`option requires an argument -- '${letter}'`);
    take(form, next);
  }
}
