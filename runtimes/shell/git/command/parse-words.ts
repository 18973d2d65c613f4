import { usageError } from './git-command-error.ts';

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

/**
 * Parses the words of a command. `flags` and `values` are names of options without their dashes; several for one thing
 * are separated by blanks, and the first is the name that is asked for. @throws GitCommandError for others
 */
export function parseWords(
  words: readonly string[],
  { flags = [], values = [] }: { readonly flags?: readonly string[]; readonly values?: readonly string[] },
): ParsedWords {
  const known = new Map<string, { readonly name: string; readonly takesValue: boolean }>();
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
    } else if (word.startsWith('--')) {
      const [, name = '', value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const option = known.get(name);
      if (!option) throw usageError(`unknown option \`${name}'`);
      if (!option.takesValue) put(option.name, value ?? '');
      else put(option.name, value ?? takeValue(waiting, name));
    } else if (/^-\d+$/.test(word) && known.has('n')) {
      put('n', word.slice(1));
    } else if (word.startsWith('-') && word !== '-') {
      for (let at = 1; at < word.length; at++) {
        const letter = word.charAt(at);
        const option = known.get(letter);
        if (!option) throw usageError(`unknown switch \`${letter}'`);
        if (!option.takesValue) put(option.name, '');
        else {
          put(option.name, at + 1 < word.length ? word.slice(at + 1) : takeValue(waiting, letter));
          break;
        }
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

function takeValue(waiting: string[], name: string): string {
  const value = waiting.shift();
  if (value === undefined) throw usageError(`option \`${name}' requires a value`);
  return value;
}
