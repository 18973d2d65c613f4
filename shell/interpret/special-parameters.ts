import { type BashOptions, type SetOption, setOptions } from '../state/options.ts';
import type { ShellVariables } from '../state/shell-variables.ts';
import type { CommandNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import type { CallFrame } from './call-frame.ts';
import { headOfCommand } from './command-text.ts';

export const bashVersion = '5.2.15(1)-release';
export const bashVersionParts: readonly string[] = ['5', '2', '15', '1', 'release', 'x86_64-pc-linux-gnu'];

/** What of a shell its special parameters tell. */
export interface DescribedShell {
  readonly start: { readonly script?: ShellText | undefined };
  readonly process: { readonly pid: number };
  readonly name: ShellText;
  readonly mainPid: number;
  readonly gid: number;
  readonly cwd: ShellText;
  readonly directoryStack: readonly ShellText[];
  readonly variables: ShellVariables;
  readonly options: BashOptions;
  readonly positional: readonly ShellText[];
  readonly frames: readonly CallFrame[];
  readonly isInFunction: boolean;
  readonly subshellDepth: number;
  readonly currentCommand: CommandNode | undefined;
  readonly line: number;
  readonly lastStatus: number;
  readonly pipeStatus: readonly number[];
  readonly lastBackgroundPid: number | undefined;
  readonly lastArgument: ShellText;
}

/** Parameters that the shell computes. */
export class SpecialParameters {
  readonly #shell: DescribedShell;
  /** Those that the script has unset: they are ordinary variables then. */
  readonly #unset: Set<string> = new Set();
  #startedAt = Date.now();
  #random: number = Math.floor(Math.random() * 2 ** 31);

  constructor(shell: DescribedShell) {
    this.#shell = shell;
  }

  /** A subshell counts its time as its parent, and has random numbers of its own. */
  copyFrom(parent: SpecialParameters): void {
    this.#startedAt = parent.#startedAt;
    for (const name of parent.#unset) this.#unset.add(name);
  }

  unset(name: string): void {
    if (computed.has(name)) this.#unset.add(name);
    if (name === 'POSIXLY_CORRECT') this.#shell.options.set('posix', false);
  }

  /** `SECONDS=10` sets the clock, `RANDOM=42` where the numbers start. */
  assigned(name: string): void {
    if (this.#unset.has(name)) return;
    const value = Number(this.#shell.variables.get(name)) || 0;
    if (name === 'SECONDS') this.#startedAt = Date.now() - value * 1000;
    if (name === 'POSIXLY_CORRECT') this.#shell.options.set('posix', true);
    if (name === 'RANDOM') this.#random = value >>> 0;
  }

  get(name: string): ShellText | undefined {
    const shell = this.#shell;
    switch (name) {
      case '?':
        return String(shell.lastStatus);
      case '!':
        return shell.lastBackgroundPid === undefined ? undefined : String(shell.lastBackgroundPid);
      case '$':
        return String(shell.mainPid);
      case '#':
        return String(shell.positional.length);
      case '-':
        return shell.options.letters();
      case '0':
        return shell.name;
      case '_':
        return shell.lastArgument;
      default:
        return this.#unset.has(name) ? undefined : computed.get(name)?.(shell, this);
    }
  }

  array(name: string): readonly ShellText[] | undefined {
    const shell = this.#shell;
    const { script } = shell.start;
    const frames = shell.frames.toReversed();
    switch (name) {
      case 'PIPESTATUS':
        return shell.pipeStatus.map(String);
      case 'FUNCNAME':
        if (!shell.isInFunction) return undefined;
        return [...frames.map((frame) => frame.name), ...(script === undefined ? [] : ['main'])];
      case 'BASH_SOURCE':
        return [...frames.map((frame) => frame.source), ...(script === undefined ? [] : [script])];
      case 'BASH_LINENO':
        return [...frames.map((frame) => String(frame.callLine)), ...(script === undefined ? [] : ['0'])];
      case 'DIRSTACK':
        return [shell.cwd, ...shell.directoryStack];
      case 'BASH_VERSINFO':
        return bashVersionParts;
      case 'GROUPS':
        return [String(shell.gid)];
      default:
        return undefined;
    }
  }

  /** bash's generator (Park and Miller's minimal standard), such that a seed gives the same numbers. */
  random(): number {
    const last = this.#random === 0 ? 123_459_876 : this.#random;
    const high = Math.trunc((last | 0) / 127_773);
    const low = (last | 0) - high * 127_773;
    const next = 16_807 * low - 2_836 * high;
    this.#random = next < 0 ? next + 0x7fff_ffff : next;
    return ((this.#random >>> 16) ^ (this.#random & 0xffff)) & 0x7fff;
  }

  get seconds(): number {
    return Math.floor((Date.now() - this.#startedAt) / 1000);
  }
}

const computed: ReadonlyMap<
  string,
  (shell: DescribedShell, specials: SpecialParameters) => ShellText | undefined
> = new Map<string, (shell: DescribedShell, specials: SpecialParameters) => ShellText | undefined>([
  ['RANDOM', (_, specials) => String(specials.random())],
  ['SRANDOM', () => String(crypto.getRandomValues(new Uint32Array(1))[0])],
  ['SECONDS', (_, specials) => String(specials.seconds)],
  ['LINENO', (shell) => String(shell.line)],
  ['BASH_ARGV0', (shell) => shell.name],
  ['BASHPID', (shell) => String(shell.process.pid)],
  ['BASH_SUBSHELL', (shell) => String(shell.subshellDepth)],
  ['EPOCHSECONDS', () => String(Math.floor(Date.now() / 1000))],
  ['EPOCHREALTIME', () => (Date.now() / 1000).toFixed(6)],
  ['BASH_COMMAND', ({ currentCommand }) => (currentCommand ? headOfCommand(currentCommand) : undefined)],
  ['SHELLOPTS', (shell) => enabledSetOptions(shell).join(':')],
  [
    'BASHOPTS',
    ({ options }) =>
      options
        .shoptNames()
        .filter((name) => options.hasShopt(name))
        .join(':'),
  ],
]);

function enabledSetOptions({ options }: DescribedShell): readonly string[] {
  return Object.keys(setOptions).filter((name) => options.has(name as SetOption));
}
