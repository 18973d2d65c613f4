import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type {
  ExecRequest,
  ExitStatus,
  ProcessEvent,
  ProcessHandle,
} from '../../protocol/sandbox/processes.ts';
import type { RecordingFacet } from '../../protocol/sandbox/recording.ts';
import type { ArchiveReader, SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import { ToySandbox } from '../fixtures/page/toy-sandbox.ts';
import { ScriptedGit } from './scripted-git.ts';

type Listener = (event: ProcessEvent) => void | Promise<void>;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const noFiles = { created: [], modified: [], deleted: [] };

/** A process that runs until it is ended or killed, and notes what is asked of it. */
export class ScriptedProcess implements ProcessHandle {
  readonly pid = 7;
  readonly asked: string[] = [];
  readonly #listener: Listener;
  /** Whether it goes on after a signal, as a shell may that ignores SIGHUP. */
  ignores: string | undefined;
  #hasEnded = false;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Says something, and waits until it was heard. */
  async say(bytes: Uint8Array | string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    await this.#listener({ type: stream, bytes: typeof bytes === 'string' ? bytesOf(bytes) : bytes });
  }

  async end(status: Partial<ExitStatus> = {}): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const facts = { signal: undefined, durationMs: 1, cpuMs: 1, maxRssBytes: 1, files: noFiles };
    await this.#listener({ type: 'exit', exitCode: 0, reason: 'exited', ...facts, ...status });
  }

  async write(bytes: Uint8Array): Promise<void> {
    const text = new TextDecoder().decode(bytes);
    this.asked.push(`write ${text.length > 32 ? bytes.length : text}`);
    if (this.#hasEnded) throw new SandboxError('not-found', 'It has ended');
    await this.say(bytes);
  }

  async closeStdin(): Promise<void> {
    this.asked.push('closeStdin');
    await this.end();
  }

  async resize({ columns, rows }: { columns: number; rows: number }): Promise<void> {
    this.asked.push(`resize ${columns} ${rows}`);
  }

  async kill(signal: string = 'SIGKILL'): Promise<void> {
    this.asked.push(`kill ${signal}`);
    if (signal !== this.ignores) await this.end({ exitCode: 137, signal, reason: 'signalled' });
  }
}

/** Files and history of a toy, and processes that do what a test says. */
export class ScriptedSandbox extends ToySandbox {
  override readonly git: ScriptedGit = new ScriptedGit();
  /** Every process that was started, with what was asked for. */
  readonly runs: { request: ExecRequest; process: ScriptedProcess }[] = [];
  /** What a new process does; without it, it waits. */
  onExec: (process: ScriptedProcess, request: ExecRequest) => Promise<void> = async () => {};
  /** What `exportTar` answers. */
  makeArchive: () => ArchiveReader = () => archiveOf([]);
  /** Recordings, of which each is empty. */
  override readonly recording: RecordingFacet = {
    start: async () => archiveOf([]),
    save: async () => archiveOf([]),
    add: async () => undefined,
    stop: async () => ({ events: 0, snapshots: 0, redacted: 0 }),
  };
  /** What `openImport` answers; without it, an import of a toy. */
  makeImport: (() => SnapshotImport<SnapshotInfo>) | undefined;
  readonly emitted: SandboxEvent[] = [];
  readonly #followers = new Set<(event: SandboxEvent) => void>();
  isClosed = false;
  #waiting: (() => void)[] = [];

  get followers(): number {
    return this.#followers.size;
  }

  protected override async exec(request: ExecRequest, listener: Listener): Promise<ProcessHandle> {
    const process = new ScriptedProcess(listener);
    this.runs.push({ request, process });
    for (const tell of this.#waiting.splice(0)) tell();
    this.onExec(process, request).catch(() => process.kill());
    // As with a real one, its first output may come before it is known to have started.
    await new Promise((resolve) => setImmediate(resolve));
    return process;
  }

  /** The process that was started last, as soon as there are so many. */
  async started(count: number): Promise<ScriptedProcess> {
    while (this.runs.length < count) await new Promise<void>((tell) => this.#waiting.push(tell));
    const last = this.runs[count - 1];
    if (!last) throw new Error('There is no such process');
    return last.process;
  }

  protected override openImport(): SnapshotImport<SnapshotInfo> {
    return this.makeImport?.() ?? super.openImport();
  }

  protected override async exportTar(): Promise<ArchiveReader> {
    return this.makeArchive();
  }

  override emit(event: Parameters<ToySandbox['emit']>[0]): void {
    super.emit(event);
    const numbered = { ...event, seq: this.emitted.length + 1 } as SandboxEvent;
    this.emitted.push(numbered);
    for (const tell of this.#followers) tell(numbered);
  }

  protected override async subscribe(
    after: number,
    listener: (event: SandboxEvent) => void,
  ): Promise<() => void> {
    for (const event of this.emitted) if (event.seq > after) listener(event);
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    await super.close();
    this.emit({ type: 'closed' });
  }
}

/** An archive of these pieces. */
export function archiveOf(pieces: readonly Uint8Array[]): ArchiveReader {
  const left = [...pieces];
  return {
    read: async () => {
      const bytes = left.shift();
      return bytes && { bytes, missing: [] };
    },
    close: async () => {},
  };
}
