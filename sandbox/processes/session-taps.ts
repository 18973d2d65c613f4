import type { CommandMark } from '../../protocol/init/command-marks.ts';
import type { ExecRequest, ExitStatus } from '../../protocol/sandbox/processes.ts';
import type { RanCommand } from '../../protocol/sandbox/ran-commands.ts';

type TerminalSize = NonNullable<ExecRequest['pty']>;

/** A process that a client has started, or a run of a shell, as recorders are told of it. Texts are data (H-9). */
export interface TappedProcess {
  readonly text: string;
  readonly argv?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  readonly by: RanCommand['by'];
  /** Its environment as it was asked for: some of it may be secret. */
  readonly envs?: Readonly<Record<string, string>> | undefined;
  /** Of its terminal, where it has one. */
  readonly size?: TerminalSize | undefined;
  /** What its terminal shows by now, as far as that is kept. */
  readonly shown?: (() => Uint8Array) | undefined;
}

export type ProcessEnd = Pick<ExitStatus, 'exitCode' | 'signal' | 'reason'>;

/** Told of what happens in processes, in order and at once: bytes are valid during the call only. */
export interface SessionListener {
  /** It has begun; `isEarlier`: before the listener came. */
  onBegin(process: ProcessTap, isEarlier: boolean): void;
  onOutput(process: ProcessTap, stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
  onInput(process: ProcessTap, bytes: Uint8Array): void;
  onResize(process: ProcessTap, size: TerminalSize): void;
  /** A command begins or ends at the prompt of its terminal. */
  onMark(process: ProcessTap, mark: CommandMark): void;
  /** Without `end`: it could not be started. */
  onEnd(process: ProcessTap, end: ProcessEnd | undefined): void;
}

/** Where those listen who record a session, or keep what it shows. */
export class SessionTaps {
  readonly #listeners = new Set<SessionListener>();
  readonly #open = new Set<ProcessTap>();

  /** Tells it of the processes that run, then of what happens. Returns how to stop. */
  subscribe(listener: SessionListener): () => void {
    for (const process of this.#open) listener.onBegin(process, true);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A process begins. */
  open(process: TappedProcess): ProcessTap {
    const tap: ProcessTap = new ProcessTap(process, (call) => this.#tell(call), {
      onEnd: () => this.#open.delete(tap),
    });
    this.#open.add(tap);
    this.#tell((listener) => listener.onBegin(tap, false));
    return tap;
  }

  /** What fails in a recorder keeps nothing from the process. */
  #tell(call: (listener: SessionListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        console.warn('A recorder failed:', error);
        this.#listeners.delete(listener);
      }
    }
  }
}

type Tell = (call: (listener: SessionListener) => void) => void;

/** One process, as whoever runs it tells of it. */
export class ProcessTap {
  readonly process: TappedProcess;
  readonly #tell: Tell;
  readonly #onEnd: () => void;
  #size: TerminalSize | undefined;

  constructor(process: TappedProcess, tell: Tell, { onEnd }: { readonly onEnd: () => void }) {
    this.process = process;
    this.#tell = tell;
    this.#onEnd = onEnd;
    this.#size = process.size;
  }

  /** Of its terminal, now. */
  get size(): TerminalSize | undefined {
    return this.#size;
  }

  output(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (bytes.length > 0) this.#tell((listener) => listener.onOutput(this, stream, bytes));
  }

  input(bytes: Uint8Array): void {
    this.#tell((listener) => listener.onInput(this, bytes));
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = { columns, rows };
    this.#tell((listener) => listener.onResize(this, { columns, rows }));
  }

  mark(mark: CommandMark): void {
    this.#tell((listener) => listener.onMark(this, mark));
  }

  end(end: ProcessEnd | undefined): void {
    this.#onEnd();
    this.#tell((listener) => listener.onEnd(this, end));
  }
}
