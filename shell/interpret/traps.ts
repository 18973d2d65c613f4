import { signalName, signalNumber } from '../processes/signals.ts';
import type { ShellText } from '../text.ts';

/** `EXIT` and others, or the full name of a signal. */
export type TrapName = string;

/** Events that are no signals, in the order in which `trap` shows them. */
const events: readonly string[] = ['EXIT', 'DEBUG', 'ERR', 'RETURN'];

/** The trap that a word of `trap` names: `INT`, `sigint`, `2`, `exit`, `0`. */
export function trapNamed(word: ShellText): TrapName | undefined {
  if (word === '0') return 'EXIT';
  if (/^\d+$/.test(word)) return signalName(Number(word));
  const upper = word.toUpperCase();
  if (events.includes(upper)) return upper;
  const number = signalNumber(word);
  return number === undefined ? undefined : signalName(number);
}

/** The commands of a shell's traps. */
export class Traps {
  /** Empty text ignores the signal. */
  readonly #commands: Map<TrapName, ShellText> = new Map();
  /** What the parent shell had, which `trap` alone shows until the subshell sets a trap itself. */
  #inherited: Map<TrapName, ShellText> | undefined;
  readonly #ignoredForGood: Set<TrapName> = new Set();
  readonly #ignoredQuietly: Set<TrapName> = new Set();
  readonly #pending: Set<TrapName> = new Set();
  readonly #running: Set<TrapName> = new Set();

  get(name: TrapName): ShellText | undefined {
    return this.#commands.get(name) ?? (this.#ignoredQuietly.has(name) ? '' : undefined);
  }

  /** What runs in the background without job control is not interrupted from the keyboard. */
  ignoreInBackground(): void {
    this.#ignoredQuietly.add('SIGINT');
    this.#ignoredQuietly.add('SIGQUIT');
  }

  /** What is ignored when a shell starts stays so. */
  ignoreForGood(name: TrapName): void {
    this.#commands.set(name, '');
    this.#ignoredForGood.add(name);
  }

  set(name: TrapName, command: ShellText): void {
    if (this.#ignoredForGood.has(name)) return;
    this.#inherited = undefined;
    this.#commands.set(name, command);
  }

  reset(name: TrapName): void {
    if (this.#ignoredForGood.has(name)) return;
    if (this.#commands.delete(name)) this.#inherited = undefined;
  }

  /** In the order in which `trap -p` shows them. */
  list(): readonly (readonly [TrapName, ShellText])[] {
    return [...(this.#inherited ?? this.#commands)].sort(([one], [other]) => orderOf(one) - orderOf(other));
  }

  /** Signals that programs start with ignored. */
  ignored(): ReadonlySet<string> {
    const ignored = [...this.#commands].filter(([, command]) => command === '').map(([name]) => name);
    return new Set([...ignored, ...this.#ignoredQuietly]);
  }

  /** A signal has come. Answers whether there is a trap for it, which `takePending` answers later. */
  receive(signal: string): boolean {
    const command = this.get(signal);
    if (command === undefined) return false;
    if (command !== '') this.#pending.add(signal);
    return true;
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  firstPending(): TrapName | undefined {
    return this.#pending.values().next().value;
  }

  takePending(): TrapName | undefined {
    const [first] = this.#pending;
    if (first !== undefined) this.#pending.delete(first);
    return first;
  }

  isRunning(name: TrapName): boolean {
    return this.#running.has(name);
  }

  get isAnyRunning(): boolean {
    return this.#running.size > 0;
  }

  async whileRunning<T>(name: TrapName, run: () => Promise<T>): Promise<T> {
    this.#running.add(name);
    try {
      return await run();
    } finally {
      this.#running.delete(name);
    }
  }

  /** Of a subshell: ignored signals stay so, `DEBUG`, `ERR` and `RETURN` where they are inherited. */
  forSubshell(inherited: ReadonlySet<TrapName>): Traps {
    const traps = new Traps();
    for (const [name, command] of this.#commands) {
      if (command === '' || inherited.has(name)) traps.#commands.set(name, command);
    }
    for (const name of this.#ignoredForGood) traps.#ignoredForGood.add(name);
    for (const name of this.#ignoredQuietly) traps.#ignoredQuietly.add(name);
    for (const name of this.#running) traps.#running.add(name);
    traps.#inherited = this.#inherited ?? new Map(this.#commands);
    return traps;
  }
}

function orderOf(name: TrapName): number {
  const event = events.indexOf(name);
  if (event === 0) return 0;
  return event > 0 ? 64 + event : (signalNumber(name) ?? 0);
}
