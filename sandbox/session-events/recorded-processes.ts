import type { CommandMark } from '../../protocol/init/command-marks.ts';
import { limits } from '../../protocol/limits.ts';
import { loginShell } from '../../protocol/sandbox/processes.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { ProcessEnd, ProcessTap, SessionListener } from '../processes/session-taps.ts';
import type { EventQueue } from './event-queue.ts';
import { RecordedOutput } from './recorded-output.ts';
import { RecordedTerminals, within } from './recorded-terminals.ts';
import { LineEnds, promptLine } from './shown-text.ts';

interface RunningCommand {
  readonly command: number;
  readonly beganAt: number;
}

/** A process as the recording has it. */
interface Followed {
  readonly terminal: number;
  readonly stdout: RecordedOutput;
  /** What a terminal shows is one stream. */
  readonly stderr: RecordedOutput;
  readonly hasTerminal: boolean;
  /** What it is, or what runs at its prompt. */
  running: RunningCommand | undefined;
}

export interface RecordedProcessesOptions {
  /** Whether what is typed is recorded. */
  readonly input: boolean;
  /** Told of the environment of each process. */
  readonly onEnvironment: (envs: Readonly<Record<string, string>>) => void;
}

/** Commands and terminals of a session as events: commands without a terminal are shown as a person would see them at a prompt. */
export class RecordedProcesses implements SessionListener {
  readonly #queue: EventQueue;
  readonly #options: RecordedProcessesOptions;
  readonly #terminals = new RecordedTerminals();
  readonly #followed = new Map<ProcessTap, Followed>();
  /** Of the terminal that shows commands without one. */
  readonly #lineEnds = new LineEnds();
  /** Whose output each terminal shows. */
  readonly #sources = new Map<number, string>();
  #lastCommand = 0;

  constructor(queue: EventQueue, options: RecordedProcessesOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  onBegin(tap: ProcessTap, isEarlier: boolean): void {
    const { process } = tap;
    if (process.envs) this.#options.onEnvironment(process.envs);
    const add = (event: RecordingEvent) => this.#queue.add(event);
    const hasTerminal = process.size !== undefined;
    const terminal = hasTerminal ? this.#terminals.forProcess(tap, add) : this.#terminals.forCommands(add);
    if (terminal === undefined) return;
    const lineEnds = hasTerminal ? undefined : this.#lineEnds;
    const stream = () => new RecordedOutput({ terminal, lineEnds }, { isHashed: !hasTerminal && !isEarlier });
    const followed: Followed = {
      terminal,
      stdout: stream(),
      stderr: stream(),
      hasTerminal,
      running: undefined,
    };
    this.#followed.set(tap, followed);
    const isShell = hasTerminal && process.argv?.join(' ') === loginShell.join(' ');
    if (isEarlier && hasTerminal) this.#showEarlier(tap, followed);
    if (!isShell) followed.running = this.#beginCommand(tap, followed);
  }

  onOutput(tap: ProcessTap, stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const followed = this.#followed.get(tap);
    if (!followed) return;
    const { terminal, hasTerminal, running } = followed;
    if (running && !hasTerminal) {
      const source = `${running.command} ${stream}`;
      if (this.#sources.get(terminal) !== source)
        this.#queue.add({ type: 'source', command: running.command, stream });
      this.#sources.set(terminal, source);
    }
    this.#queue.output(followed[stream], bytes);
  }

  onInput(tap: ProcessTap, bytes: Uint8Array): void {
    const followed = this.#followed.get(tap);
    if (!followed || !this.#options.input) return;
    this.#queue.add({ type: 'input', terminal: followed.terminal, data: new TextDecoder().decode(bytes) });
  }

  onResize(tap: ProcessTap, size: NonNullable<ProcessTap['size']>): void {
    const followed = this.#followed.get(tap);
    if (followed) this.#queue.add({ type: 'resize', terminal: followed.terminal, ...within(size) });
  }

  onMark(tap: ProcessTap, mark: CommandMark): void {
    const followed = this.#followed.get(tap);
    if (!followed) return;
    if (mark.type === 'start') {
      const { cwd, user } = tap.process;
      const by = { text: mark.command, cwd, user, by: 'terminal' as const };
      followed.running = this.#addCommand(by, followed.terminal);
    } else if (followed.running) {
      this.#endCommand(followed, { exitCode: mark.exitCode, signal: undefined, reason: undefined });
    }
  }

  onEnd(tap: ProcessTap, end: ProcessEnd | undefined): void {
    const followed = this.#followed.get(tap);
    if (!followed) return;
    this.#followed.delete(tap);
    this.#queue.addLater(() => [...followed.stdout.end(), ...followed.stderr.end()]);
    const isUnknown = { exitCode: -1, signal: undefined, reason: 'not-started' } as const;
    if (followed.running) this.#endCommand(followed, end ?? isUnknown);
    if (!followed.hasTerminal || !this.#terminals.end(tap)) return;
    const { terminal } = followed;
    this.#queue.add({ type: 'terminal-end', terminal, ...(end && { exitCode: end.exitCode }) });
  }

  /** It was open before the recording began. */
  #showEarlier({ process }: ProcessTap, { stdout }: Followed): void {
    const shown = process.shown?.() ?? new Uint8Array(0);
    if (shown.length > 0) this.#queue.output(stdout, shown);
  }

  #beginCommand({ process }: ProcessTap, { terminal, hasTerminal }: Followed): RunningCommand {
    const command = this.#addCommand(process, terminal);
    if (hasTerminal) return command;
    this.#sources.set(terminal, `${command.command} stdout`);
    const { text, by, user } = process;
    const shown = by === 'client' ? `# ${text}` : text;
    this.#queue.addLater(() => {
      const end = this.#lineEnds.isAtLineBegin ? '' : '\r\n';
      const data = `${end}${promptLine(cut(shown), { isRoot: user === 'root' })}`;
      this.#lineEnds.show(data);
      return [{ type: 'output', terminal, data }];
    });
    return command;
  }

  #addCommand({ text, argv, cwd, user, by }: ProcessTap['process'], terminal: number): RunningCommand {
    const command = ++this.#lastCommand;
    const isShort = argv !== undefined && argv.join(' ').length <= limits.recordingCommandCharacters;
    this.#queue.add({
      ...{ type: 'command', command, text: cut(text), by, terminal },
      ...(isShort ? { argv } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === undefined ? {} : { user }),
    });
    return { command, beganAt: this.#queue.now };
  }

  #endCommand(
    followed: Followed,
    end: Pick<ProcessEnd, 'exitCode' | 'signal'> & { readonly reason: string | undefined },
  ): void {
    const { running, stdout, stderr } = followed;
    if (!running) return;
    followed.running = undefined;
    const { command, beganAt } = running;
    const durationMs = Math.round((this.#queue.now - beganAt) * 1_000);
    const { exitCode, signal, reason } = end;
    this.#queue.addLater(() => {
      const digests = { stdout: stdout.digest(), stderr: stderr.digest() };
      const sizeBytes = stdout.sizeBytes + stderr.sizeBytes;
      const isTold = digests.stdout !== undefined && digests.stderr !== undefined;
      const output = isTold ? { output: { ...digests, sizeBytes } as OutputDigests } : {};
      return [
        {
          ...{ type: 'command-end', command, exitCode, durationMs, ...output },
          ...(signal === undefined ? {} : { signal }),
          ...(reason === undefined ? {} : { reason }),
        },
      ];
    });
  }
}

type OutputDigests = NonNullable<Extract<RecordingEvent, { type: 'command-end' }>['output']>;

function cut(text: string): string {
  const most = limits.recordingCommandCharacters;
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
