import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import type { CommandsReport, ReportedCommand } from '../../protocol/sandbox-report.ts';

/** How a command ended, as far as that is known. */
export type CommandStatus = Partial<
  Pick<ExitStatus, 'exitCode' | 'signal' | 'reason' | 'cpuMs' | 'maxRssBytes'>
>;

interface Begun {
  readonly command: string;
  readonly startedAtMs: number;
  readonly start: number;
}

/** The commands of a sandbox since it was opened: how many there were, and how the last ones ended. */
export class RunLog {
  readonly #running = new Map<object, Begun>();
  readonly #last: ReportedCommand[] = [];
  #started = 0;

  /** A command begins in `stream`; one that still runs there has ended. */
  start(stream: object, command: string): void {
    this.end(stream);
    this.#started++;
    this.#running.set(stream, { command, startedAtMs: Date.now(), start: performance.now() });
  }

  /** What ran in `stream` is over, if anything did. */
  end(stream: object, status: CommandStatus = {}): void {
    const begun = this.#running.get(stream);
    if (begun === undefined) return;
    this.#running.delete(stream);
    const { command, startedAtMs, start } = begun;
    const durationMs = performance.now() - start;
    this.#last.push({ command, startedAtMs, durationMs, ...known(status) });
    if (this.#last.length > limits.reportedCommands) this.#last.shift();
  }

  /** What ran in `stream` never began. */
  forget(stream: object): void {
    if (this.#running.delete(stream)) this.#started--;
  }

  report(): CommandsReport {
    return { started: this.#started, running: this.#running.size, last: [...this.#last] };
  }
}

function known({
  exitCode,
  signal,
  reason,
  cpuMs,
  maxRssBytes,
}: CommandStatus): Omit<ReportedCommand, 'command' | 'startedAtMs' | 'durationMs'> {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(reason === undefined ? {} : { reason }),
    ...(cpuMs === undefined ? {} : { cpuMs }),
    ...(maxRssBytes === undefined ? {} : { maxRssBytes }),
  };
}
