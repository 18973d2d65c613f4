import type { SandboxStore } from '../objects/sandbox-store.ts';

/**
 * One open file, synchronous: the shape of a `FileSystemSyncAccessHandle`, so that the log runs
 * in a browser's worker, over a file of a host, and over a disk that fails on purpose.
 */
export interface LogFile {
  /** Bytes at its start that are durable and never change, since other stores may share them. Default 0. */
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
 * The logs of one sandbox by their number, the generation. Opening an absent one creates it. If files can have
 * several names (hard links), a log can continue in a new file, and another store can share the previous one.
 */
export interface LogDirectory {
  readonly backend: SandboxStore['backend'];
  readonly readOnly: boolean;
  generations(): Promise<number[]>;
  open(generation: number): Promise<LogFile>;
  /** Removes a log; it may remain if another reader has it open. */
  remove(generation: number): Promise<void>;
  /**
   * Continues the log, which ends at `at`, in a new file, whose name is durable with the first flush. The writer
   * then closes its old handle. Answers `undefined` if the log has the most files that it may have.
   */
  split?(generation: number, at: number): LogFile | undefined;
  /**
   * Starts the log of this directory, which has none, with the frozen files of a log in `from` that ends at
   * `endBytes`, as far as they can be shared; these are the frozen part of the returned file.
   */
  adopt?(from: LogDirectory, log: { readonly generation: number; readonly endBytes: number }): LogFile;
  /**
   * Translates an `error` of this directory, its files or the log to the one that the store throws; `action`
   * completes "Cannot …".
   */
  toError(action: string, error: unknown): Error;
}
