import { limits } from '../../protocol/limits.ts';
import { quoteWords } from '../../protocol/quote-words.ts';
import type { RanCommand } from '../../protocol/sandbox/ran-commands.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { type CommandStatus, RunLog } from './run-log.ts';

/** One run of a command; no other run of the history has its id. */
export interface CommandRun {
  readonly id: string;
  readonly command: string;
  /** What a snapshot says of it. */
  readonly ran: RanCommand;
}

/** Commands that ended, with the files as they were when the next command began; without files, those of now are theirs. */
export interface EndedRuns {
  readonly runs: readonly CommandRun[];
  readonly files?: TreeSnapshot;
}

/** How a command was given, beside its text. */
type CommandOrigin = Partial<Pick<RanCommand, 'argv' | 'by'>>;

/** The commands that ran since the last capture: what a snapshot names as its cause. Tells `runs` of each. */
export class CommandLog {
  readonly runs: RunLog = new RunLog();
  readonly #files: () => TreeSnapshot | undefined;
  readonly #running = new Map<object, CommandRun & { readonly start: number }>();
  #finished: CommandRun[] = [];
  /** Commands that ended before the last one began, oldest first. */
  #earlier: (EndedRuns & { readonly files: TreeSnapshot })[] = [];
  /** Processes that have changed files while no command ran, by their text. */
  readonly #processes = new Map<string, RanCommand>();
  /** Whether a client has changed files since the last capture: the processes that did it for that client are no cause. */
  #isByClient = false;
  /** Ids are stored in the history, which other logs add to: a random part and a number. */
  readonly #logId: string = randomHex();
  #started = 0;

  /** `files` answers the files of this instant where they are known without a look: what ended has no part in what comes next. */
  constructor(files: () => TreeSnapshot | undefined = () => undefined) {
    this.#files = files;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** A command begins in `stream` (any object that stands for a terminal or a process). */
  start(stream: object, command: string, { by = 'exec', argv }: CommandOrigin = {}): void {
    this.#partFromNext();
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
    this.#earlier = [];
    this.#finished = [];
    if (command !== undefined) this.start(stream, command, { by: 'terminal' });
  }

  /**
   * Commands that ended since the last call; where none did, those that still run. Each has a snapshot of its own where the
   * files are known that it left; the last ones have the files of now.
   */
  take(): readonly [...EndedRuns[], EndedRuns] {
    const runs = this.#finished.length > 0 ? this.#finished : [...this.#running.values()];
    const taken = [...this.#earlier, { runs: runs.slice(0, limits.causeCommands) }] as const;
    this.#earlier = [];
    this.#finished = [];
    return taken;
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
  putBack(taken: readonly EndedRuns[], processes: readonly RanCommand[]): void {
    for (const each of processes) this.#processes.set(each.command, each);
    const last = taken.flatMap(({ runs, files }) => (files ? [] : runs));
    // The files that they left are in those of what has been parted since.
    const [next, ...later] = this.#earlier;
    const earlier = taken.flatMap(({ runs, files }) => (files ? [{ runs, files }] : []));
    const parted = next ? [{ ...next, runs: joined(last, next.runs) }, ...later] : [];
    this.#earlier = [...earlier, ...parted].slice(-limits.causeCommands);
    if (!next) this.#finished = joined(last, this.#finished);
  }

  /** Every process is gone, and so is what was under way. */
  clear(): void {
    this.#running.clear();
    this.#processes.clear();
    this.#isByClient = false;
    this.#earlier = [];
    this.#finished = [];
  }

  /** What has been parted becomes one again: garbage is collected that its files may need. */
  joinEnded(): void {
    const earlier = this.#earlier.flatMap(({ runs }) => runs);
    this.#earlier = [];
    this.#finished = joined(earlier, this.#finished);
  }

  /** A command begins: what has ended by now gets the files as they are. */
  #partFromNext(): void {
    if (this.#finished.length === 0 || this.#earlier.length >= limits.causeCommands) return;
    const files = this.#files();
    if (files === undefined) return;
    this.#earlier.push({ runs: this.#finished, files });
    this.#finished = [];
  }
}

/** Those of a failed capture and those that ended after them. What still ran then may have ended since. */
function joined(runs: readonly CommandRun[], ended: readonly CommandRun[]): CommandRun[] {
  const others = ended.filter(({ id }) => !runs.some((run) => run.id === id));
  return [...runs, ...others].slice(-limits.causeCommands);
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
