import { usageError } from '../git-command-error.ts';

/** The words of a command: options by their long names, and the rest. */
export interface ParsedWords {
  readonly operands: readonly string[];
  /** What stands after `--`. */
  readonly paths: readonly string[];
  has(name: string): boolean;
  /** The last value of an option. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

interface Option {
  readonly name: string;
  readonly takesValue: boolean;
}

/**
 * Parses the words of a command. `flags` and `values` are names of options without their dashes; several for one thing
 * are separated by blanks, and the first is the name that is asked for. `joined` are flags whose letter may have a value in the same word.
 * @throws GitCommandError for others
 */
export function parseWords(
  words: readonly string[],
  {
    flags = [],
    values = [],
    joined = ['untracked-files', 'find-renames', 'unified', 'S', 'G', 'hash', 'abbrev'],
  }: {
    readonly flags?: readonly string[];
    readonly values?: readonly string[];
    readonly joined?: readonly string[];
  },
): ParsedWords {
  const known = new Map<string, Option>();
  for (const [takesValue, list] of [
    [false, flags],
    [true, values],
  ] as const) {
    for (const names of list) {
      const [name = '', ...others] = names.split(' ');
      for (const each of [name, ...others]) known.set(each, { name, takesValue });
    }
  }
  const given = new Map<string, string[]>();
  const put = (name: string, value: string) => given.set(name, [...(given.get(name) ?? []), value]);
  const operands: string[] = [];
  const waiting = [...words];
  let paths: readonly string[] = [];
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word === '--') {
      paths = waiting.splice(0);
    } else if (word.startsWith('--') && word !== '--') {
      const [, name = '', value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const option = findLong(known, name);
      if (!option) throw usageError(`unknown option \`${name}'`);
      if (!option.takesValue) put(option.name, value ?? '');
      else put(option.name, value ?? takeValue(waiting, name));
    } else if (/^-\d+$/.test(word) && known.has('n')) {
      put(known.get('n')?.name ?? 'n', word.slice(1));
    } else if (word.startsWith('-') && word !== '-') {
      for (let at = 1; at < word.length; at++) {
        const letter = word.charAt(at);
        const option = known.get(letter);
        const rest = word.slice(at + 1);
        if (!option) throw usageError(`unknown switch \`${letter}'`);
        if (option.takesValue) {
          put(option.name, rest === '' ? takeValue(waiting, letter) : rest);
          break;
        }
        const takesRest = joined.includes(option.name) && rest !== '';
        put(option.name, takesRest ? rest : '');
        if (takesRest) break;
      }
    } else operands.push(word);
  }
  return {
    operands,
    paths,
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
  };
}

/** By its whole name, or by the start of one that no other has. */
function findLong(known: ReadonlyMap<string, Option>, name: string): Option | undefined {
  if (name.length < 2) return undefined;
  const exact = known.get(name);
  if (exact) return exact;
  const found = [...known].filter(([each]) => each.length > 1 && each.startsWith(name));
  return new Set(found.map(([, option]) => option.name)).size === 1 ? found[0]?.[1] : undefined;
}

function takeValue(waiting: string[], name: string): string {
  const value = waiting.shift();
  if (value === undefined) throw usageError(`option \`${name}' requires a value`);
  return value;
}
