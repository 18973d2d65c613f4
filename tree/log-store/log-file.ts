import type { SandboxStore } from '../objects/sandbox-store.ts';

/**
 * One open file, synchronous: the shape of a `FileSystemSyncAccessHandle`, so that the log runs
 * in a browser's worker, over a file of a host, and over a disk that fails on purpose.
 */
export interface LogFile {
  /** Bytes at its start that are durable and never change, since others may have them too. Default 0. */
  readonly frozenBytes?: number;
  /** Fills `into` from offset `at`; answers how many bytes there were. */
  read(into: Uint8Array, at: number): number;
  /** Writes `bytes` at offset `at`; answers how many were written, fewer when the disk is full. */
  write(bytes: Uint8Array, at: number): number;
  truncate(sizeBytes: number): void;
  /** Returns when everything written is durable. */
  flush(): void;
  size(): number;
  close(): void;
}

/**
 * The logs of one sandbox by their number, the generation. Opening an absent one creates it. Where files
 * can have several names, a log can go on in another file, and what it leaves can be another store's too.
 */
export interface LogDirectory {
  readonly backend: SandboxStore['backend'];
  readonly readOnly: boolean;
  generations(): Promise<number[]>;
  open(generation: number): Promise<LogFile>;
  /** Removes a log; one that another reader still holds may stay behind. */
  remove(generation: number): Promise<void>;
  /**
   * The same log, which ends at `at`, going on in a new file; its name is durable with the first flush.
   * Whoever wrote to the log closes what they had. Answers `undefined` when it has files enough.
   */
  split?(generation: number, at: number): LogFile | undefined;
  /**
   * Begins the log of this directory, which has none, with what is frozen of a log of `from` that ends at
   * `endBytes`, as far as it can be shared: that is the frozen part of what it answers.
   */
  adopt?(from: LogDirectory, log: { readonly generation: number; readonly endBytes: number }): LogFile;
  /**
   * What the store throws instead of `error`, which came from this directory, its files or the log;
   * `action` completes "Cannot …".
   */
  toError(action: string, error: unknown): Error;
}
