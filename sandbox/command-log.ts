import { limits } from '../protocol/limits.ts';
import { type CommandStatus, RunLog } from './run-log.ts';

/** The commands that ran since the last capture: what a snapshot names as its cause. Tells `runs` of each. */
export class CommandLog {
  readonly runs: RunLog = new RunLog();
  readonly #running = new Map<object, string>();
  #finished: string[] = [];

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** A command begins in `stream` (any object that stands for a terminal or a process). */
  start(stream: object, command: string): void {
    const text = trim(command);
    this.#running.set(stream, text);
    this.runs.start(stream, text);
  }

  /** The command that ran in `stream` is over. Answers which it was. */
  end(stream: object, status?: CommandStatus): string | undefined {
    this.runs.end(stream, status);
    const command = this.#running.get(stream);
    if (command === undefined) return undefined;
    this.#running.delete(stream);
    if (this.#finished.length < limits.causeCommands) this.#finished.push(command);
    return command;
  }

  /** The command that runs in `stream`. */
  in(stream: object): string | undefined {
    return this.#running.get(stream);
  }

  /** `stream` is where it was when `command` ran in it, or none. */
  goBack(stream: object, command: string | undefined): void {
    if (this.#running.get(stream) === command) return;
    this.end(stream);
    this.#finished = [];
    if (command !== undefined) this.start(stream, command);
  }

  /** Commands that ended since the last call; where none did, those that still run. */
  take(): readonly string[] {
    const commands = this.#finished.length > 0 ? this.#finished : [...this.#running.values()];
    this.#finished = [];
    return [...new Set(commands)].slice(0, limits.causeCommands);
  }

  /** Commands that were taken for a capture that failed: the next one names them. */
  putBack(commands: readonly string[]): void {
    this.#finished = [...commands, ...this.#finished].slice(-limits.causeCommands);
  }

  /** Every process is gone, and so is what was under way. */
  clear(): void {
    this.#running.clear();
    this.#finished = [];
  }
}

function trim(command: string): string {
  const line = command.replace(/^\s*\d+\s+/, '').trim();
  return line.length <= limits.causeCommandBytes ? line : `${line.slice(0, limits.causeCommandBytes - 1)}…`;
}
