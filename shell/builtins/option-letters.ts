import type { BuiltinCall } from '../interpret/builtin-call.ts';
import type { Shell } from '../interpret/shell.ts';
import type { ShellText } from '../text.ts';

/** The option letters of a built-in's call. */
export interface OptionLetters {
  /** Those after `-`. */
  readonly on: ReadonlySet<string>;
  /** Those after `+`. */
  readonly off: ReadonlySet<string>;
  /** Arguments of letters that have one: the last where one is given twice. */
  readonly values: ReadonlyMap<string, ShellText>;
  /** What follows the options. */
  readonly operands: readonly ShellText[];
  /** Index of the first operand among the arguments. */
  readonly start: number;
}

/**
 * Reads options as `getopt` does; `letters` as there, with a colon after those that have an argument. Answers
 * `undefined` after a mistake, which it tells: the built-in's status is 2.
 */
export function readOptions(
  shell: Shell,
  { name, args }: BuiltinCall,
  { letters, plus = false, usage }: { letters: string; plus?: boolean; usage?: string },
): OptionLetters | undefined {
  const on = new Set<string>();
  const off = new Set<string>();
  const values = new Map<string, ShellText>();
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      at += 1;
      break;
    }
    const isOn = arg.startsWith('-') && arg.length > 1;
    if (!isOn && !(plus && arg.startsWith('+') && arg.length > 1)) break;
    for (let index = 1; index < arg.length; index++) {
      const letter = arg[index] ?? '';
      const position = letter === ':' ? -1 : letters.indexOf(letter);
      if (position < 0) {
        shell.warn(`${name}: ${arg[0]}${letter}: invalid option`);
        if (usage !== undefined) shell.warnPlain(`${name}: usage: ${usage}`);
        return undefined;
      }
      (isOn ? on : off).add(letter);
      if (letters[position + 1] !== ':') continue;
      const rest = arg.slice(index + 1);
      const value = rest === '' ? args[++at] : rest;
      if (value === undefined) {
        shell.warn(`${name}: -${letter}: option requires an argument`);
        if (usage !== undefined) shell.warnPlain(`${name}: usage: ${usage}`);
        return undefined;
      }
      values.set(letter, value);
      break;
    }
  }
  return { on, off, values, operands: args.slice(at), start: at };
}
