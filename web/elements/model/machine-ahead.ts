import { listenAbort } from '../../../protocol/abort.ts';
import { after } from '../../../protocol/after.ts';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Progress, ProgressListener } from '../../../protocol/sandbox/progress.ts';

/** A machine that loads while a shell is used, as the shell's pane shows it. */
export interface LoadingMachine {
  /** `starting`: all bytes are there. `ready`: it waits to be taken. `failed`: `error` says why. */
  readonly stage: 'loading' | 'starting' | 'ready' | 'failed';
  readonly doneBytes: number;
  /** 0 if unknown. */
  readonly totalBytes: number;
  readonly error: ErrorData | undefined;
  /** What the site is still doing that has yet to make the machine's image. */
  readonly waitsFor?: string | undefined;
}

const nothingYet: LoadingMachine = { stage: 'loading', doneBytes: 0, totalBytes: 0, error: undefined };

/** A machine that runs. */
export interface ReadyMachine {
  readonly id: string;
  readonly connection: SandboxConnection;
}

interface Making {
  readonly abort: AbortController;
  readonly connection: Promise<SandboxConnection>;
}

/**
 * Makes a machine in this tab while a shell is used, and owns it until it is taken or given up. One that was not taken is
 * deleted.
 */
export class MachineAhead {
  readonly #backend: SandboxBackend;
  readonly #onChange: () => void;
  readonly #onReady: (machine: ReadyMachine) => void;
  #shown: LoadingMachine | undefined;
  #ready: ReadyMachine | undefined;
  readonly #settled = Promise.withResolvers<void>();
  #making: Making | undefined;
  #onProgress: ProgressListener;

  /** Calls `onChange` when `shown` changes, and `onReady` once the machine runs. */
  constructor(
    backend: SandboxBackend,
    parts: {
      readonly onChange: () => void;
      readonly onProgress: ProgressListener;
      readonly onReady: (machine: ReadyMachine) => void;
    },
  ) {
    this.#backend = backend;
    this.#onChange = parts.onChange;
    this.#onReady = parts.onReady;
    this.#onProgress = (progress) => {
      this.#noteProgress(progress);
      parts.onProgress(progress);
    };
  }

  /** How far it is; `undefined` once it was taken or given up. */
  get shown(): LoadingMachine | undefined {
    return this.#shown;
  }

  /** The machine, while it runs and nobody has taken it. */
  get ready(): ReadyMachine | undefined {
    return this.#ready;
  }

  /**
   * Resolves to whether its download takes so long that something else is worth being opened meanwhile; also to `true` if
   * the machine cannot be had.
   */
  async isSlow(): Promise<boolean> {
    const begunMs = performance.now();
    let first: { readonly atMs: number; readonly doneBytes: number } | undefined;
    for (;;) {
      await Promise.race([this.settled, after(limits.shellFirstLookMs)]);
      if (this.#shown?.stage !== 'loading') return this.#shown?.stage === 'failed';
      const { doneBytes, totalBytes } = this.#shown;
      const nowMs = performance.now();
      // Scripts come before the first bytes, and take as long on a busy computer.
      if (doneBytes === 0 && nowMs - begunMs < limits.shellFirstSilenceMs) continue;
      first ??= { atMs: nowMs, doneBytes };
      const passedMs = nowMs - first.atMs;
      if (doneBytes > 0 && passedMs < limits.shellFirstDelayMs) continue;
      const comeBytes = doneBytes - first.doneBytes;
      if (comeBytes === 0) return true;
      if ((passedMs * (totalBytes - doneBytes)) / comeBytes > limits.shellFirstLeastMs) return true;
    }
  }

  /** Resolves when the machine runs, was given up, or has failed for the first time. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Begins to make the machine; again after a failure. */
  begin(): void {
    const abort = new AbortController();
    const options = { runtime: 'v86', signal: abort.signal } as const;
    const connection = this.#backend.create(options, (progress) => this.#onProgress(progress));
    const making = { abort, connection };
    this.#making = making;
    this.#show(nothingYet);
    void this.#follow(making);
  }

  /** Hands the machine to the caller, who waits for it and is told its progress. @throws as `SandboxBackend.create` */
  async take({
    onProgress,
    signal,
  }: {
    readonly onProgress: ProgressListener;
    readonly signal: AbortSignal | undefined;
  }): Promise<SandboxConnection> {
    if (this.#making === undefined) this.begin();
    const making = this.#release();
    this.#onProgress = onProgress;
    if (making === undefined) throw new SandboxError('aborted', 'The machine was given up');
    const unlisten = listenAbort(signal, () => making.abort.abort());
    try {
      return await making.connection;
    } finally {
      unlisten();
    }
  }

  /** The caller of this owns what `onReady` was given. */
  disown(): void {
    this.#release();
  }

  /** Ends the start, and deletes what was made. */
  async giveUp(): Promise<void> {
    const making = this.#release();
    making?.abort.abort();
    const connection = await making?.connection.catch(() => undefined);
    if (connection === undefined) return;
    const { id } = await connection.info.get();
    await connection.close().catch(() => undefined); // It is deleted all the same.
    await this.#backend.delete({ id });
  }

  #release(): Making | undefined {
    const making = this.#making;
    this.#making = undefined;
    this.#ready = undefined;
    this.#show(undefined);
    this.#settled.resolve();
    return making;
  }

  async #follow(making: Making): Promise<void> {
    try {
      const connection = await making.connection;
      const { id } = await connection.info.get();
      if (this.#making !== making) return;
      this.#show({ ...nothingYet, stage: 'ready' });
      this.#ready = { id, connection };
      this.#onReady(this.#ready);
    } catch (cause) {
      if (this.#making !== making) return;
      this.#making = undefined;
      this.#show({ ...nothingYet, stage: 'failed', error: SandboxError.from(cause).toData() });
    }
    this.#settled.resolve();
  }

  #show(shown: LoadingMachine | undefined): void {
    this.#shown = shown;
    this.#onChange();
  }

  #noteProgress({ stage, doneBytes, totalBytes, text }: Progress): void {
    if (this.#making === undefined || stage === 'ready') return;
    const isLoading = stage === 'download' && (totalBytes === 0 || doneBytes < totalBytes);
    const waitsFor = isLoading && doneBytes === 0 ? text : undefined;
    this.#show({ ...nothingYet, stage: isLoading ? 'loading' : 'starting', doneBytes, totalBytes, waitsFor });
  }
}
