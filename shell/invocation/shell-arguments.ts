import { type SetOption, setOptions } from '../state/options.ts';
import type { ShellText } from '../text.ts';

/** What `bash` was called with. */
export interface ShellArguments {
  /** The text of `-c`. */
  readonly command: ShellText | undefined;
  /** The file of a script. */
  readonly script: ShellText | undefined;
  /** `$0` that was given, after `-c`. */
  readonly name: ShellText | undefined;
  readonly positional: readonly ShellText[];
  readonly options: readonly { readonly option: SetOption; readonly on: boolean }[];
  readonly shopts: readonly { readonly option: string; readonly on: boolean }[];
  readonly readsInput: boolean;
  readonly isInteractive: boolean;
  readonly isLogin: boolean;
  readonly shows: 'version' | 'help' | undefined;
}

/** A mistake in the arguments. */
export class ShellUsageError extends Error {}

const longWithValue: ReadonlySet<string> = new Set(['--rcfile', '--init-file']);
const longIgnored: ReadonlySet<string> = new Set([
  '--debugger',
  '--dump-po-strings',
  '--dump-strings',
  '--noediting',
  '--noprofile',
  '--norc',
  '--restricted',
]);

const optionOfLetter: ReadonlyMap<string, SetOption> = new Map(
  Object.entries(setOptions).flatMap(([name, letter]) =>
    letter ? [[letter, name as SetOption] as const] : [],
  ),
);

/** Reads the arguments of `bash`, without its name. @throws ShellUsageError */
export function parseShellArguments(args: readonly ShellText[]): ShellArguments {
  const options: { option: SetOption; on: boolean }[] = [];
  const shopts: { option: string; on: boolean }[] = [];
  let hasCommand = false;
  let readsInput = false;
  let isInteractive = false;
  let isLogin = false;
  let shows: ShellArguments['shows'];
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--' || arg === '-') {
      at += 1;
      break;
    }
    if (arg.startsWith('--')) {
      if (arg === '--posix') options.push({ option: 'posix', on: true });
      else if (arg === '--verbose') options.push({ option: 'verbose', on: true });
      else if (arg === '--login') isLogin = true;
      else if (arg === '--version' || arg === '--help') shows = arg === '--help' ? 'help' : 'version';
      else if (longWithValue.has(arg)) at += 1;
      else if (!longIgnored.has(arg)) throw new ShellUsageError(`${arg}: invalid option`);
      continue;
    }
    if (!/^[-+]./.test(arg)) break;
    const on = arg.startsWith('-');
    for (const letter of arg.slice(1)) {
      const option = optionOfLetter.get(letter);
      if (letter === 'c') hasCommand = true;
      else if (letter === 's' && on) readsInput = true;
      else if (letter === 'i') isInteractive = true;
      else if (letter === 'l') isLogin = true;
      else if (letter === 'D' || letter === 'r') continue;
      else if (letter === 'o' || letter === 'O') {
        at += 1;
        const name = args[at];
        if (name === undefined) throw new ShellUsageError(`-${letter}: option requires an argument`);
        if (letter === 'O') shopts.push({ option: name, on });
        else if (name in setOptions) options.push({ option: name as SetOption, on });
        else throw new ShellUsageError(`${name}: invalid option name`);
      } else if (option) options.push({ option, on });
      else throw new ShellUsageError(`${arg.slice(0, 1)}${letter}: invalid option`);
    }
  }
  const rest = args.slice(at);
  const common = { options, shopts, isInteractive, isLogin, shows };
  if (hasCommand) {
    const [command, name, ...positional] = rest;
    if (command === undefined) throw new ShellUsageError('-c: option requires an argument');
    return { ...common, command, script: undefined, name, positional, readsInput: false };
  }
  const [script, ...positional] = rest;
  if (readsInput || script === undefined) {
    return {
      ...common,
      command: undefined,
      script: undefined,
      name: undefined,
      positional: rest,
      readsInput: true,
    };
  }
  return { ...common, command: undefined, script, name: undefined, positional, readsInput: false };
}
