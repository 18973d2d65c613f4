import { limits } from '../../protocol/limits.ts';
import { quoteWords } from '../../protocol/quote-words.ts';
import type { RanCommand } from '../../protocol/sandbox/ran-commands.ts';
import { type CommandStatus, RunLog } from './run-log.ts';

/** One run of a command; no other run of the history has its id. */
export interface CommandRun {
  readonly id: string;
  readonly command: string;
  /** What a snapshot says of it. */
  readonly ran: RanCommand;
}

/** How a command was given, beside its text. */
type CommandOrigin = Partial<Pick<RanCommand, 'argv' | 'by'>>;

/** The commands that ran since the last capture: what a snapshot names as its cause. Tells `runs` of each. */
export class CommandLog {
  readonly runs: RunLog = new RunLog();
  readonly #running = new Map<object, CommandRun & { readonly start: number }>();
  #finished: CommandRun[] = [];
  /** Processes that have changed files while no command ran, by their text. */
  readonly #processes = new Map<string, RanCommand>();
  /** Whether a client has changed files since the last capture: the processes that did it for that client are no cause. */
  #isByClient = false;
  /** Ids are stored in the history, which other logs add to: a random part and a number. */
  readonly #logId: string = randomHex();
  #started = 0;

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** A command begins in `stream` (any object that stands for a terminal or a process). */
  start(stream: object, command: string, { by = 'exec', argv }: CommandOrigin = {}): void {
    const text = trim(command);
    const id = `${this.#logId}-${++this.#started}`;
    const ran = { command: text, ...(argv ? { argv } : {}), by, startedAtMs: Date.now() };
    this.#running.set(stream, { id, command: text, ran, start: performance.now() });
    this.runs.start(stream, text);
  }

  /** The command that ran in `stream` is over. Answers which it was. */
  end(stream: object, status?: CommandStatus): string | undefined {
    this.runs.end(stream, status);
    const run = this.#running.get(stream);
    if (run === undefined) return undefined;
    this.#running.delete(stream);
    const { id, command, start } = run;
    const ran = { ...run.ran, durationMs: Math.round(performance.now() - start), ...endOf(status) };
    if (this.#finished.length < limits.causeCommands) this.#finished.push({ id, command, ran });
    return run.command;
  }

  /** The command of `stream` could not be started: it is the cause of nothing. */
  forget(stream: object): void {
    this.runs.forget(stream);
    this.#running.delete(stream);
  }

  /** The command that runs in `stream`. */
  in(stream: object): string | undefined {
    return this.#running.get(stream)?.command;
  }

  /** `stream` is where it was when `command` ran in it, or none. */
  goBack(stream: object, command: string | undefined): void {
    if (this.in(stream) === command) return;
    this.end(stream);
    this.#finished = [];
    if (command !== undefined) this.start(stream, command, { by: 'terminal' });
  }

  /** Commands that ended since the last call; where none did, those that still run. */
  take(): readonly CommandRun[] {
    const taken = this.#finished.length > 0 ? this.#finished : [...this.#running.values()];
    this.#finished = [];
    return taken.slice(0, limits.causeCommands);
  }

  /** A process with these arguments, as it calls itself, has changed something of its own accord, if no command runs. */
  noteProcess(argv: readonly string[]): void {
    const command = trim(quoteWords(argv));
    if (command === '' || this.isRunning || this.#processes.has(command)) return;
    if (this.#processes.size >= limits.causeCommands) return;
    this.#processes.set(command, { command, argv, by: 'process', startedAtMs: Date.now() });
  }

  /** A client changes files, by processes that the machine starts for it. */
  noteClient(): void {
    this.#isByClient = true;
  }

  /** Processes since the last call that have changed something of their own accord, as far as that is known. */
  takeProcesses(): readonly RanCommand[] {
    const taken = this.#isByClient ? [] : [...this.#processes.values()];
    this.#processes.clear();
    this.#isByClient = false;
    return taken;
  }

  /** What was taken for a capture that failed: the next one names it. */
  putBack(runs: readonly CommandRun[], processes: readonly RanCommand[]): void {
    for (const each of processes) this.#processes.set(each.command, each);
    const ended = this.#finished.filter(({ id }) => !runs.some((run) => run.id === id));
    this.#finished = [...runs, ...ended].slice(-limits.causeCommands);
  }

  /** Every process is gone, and so is what was under way. */
  clear(): void {
    this.#running.clear();
    this.#processes.clear();
    this.#isByClient = false;
    this.#finished = [];
  }
}

function endOf({ exitCode, signal }: CommandStatus = {}): Pick<RanCommand, 'exitCode' | 'signal'> {
  return { ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) };
}

function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function trim(command: string): string {
  const line = command.trim();
  return line.length <= limits.causeCommandBytes ? line : `${line.slice(0, limits.causeCommandBytes - 1)}…`;
}
