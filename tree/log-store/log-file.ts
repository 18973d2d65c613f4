import type { SandboxStore } from '../objects/sandbox-store.ts';

/**
 * One open file, synchronous: the shape of a `FileSystemSyncAccessHandle`, so that the log runs
 * in a browser's worker, over a file of a host, and over a disk that fails on purpose.
 */
export interface LogFile {
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

/** The files of one sandbox: `log-<generation>`. Opening an absent one creates it. */
export interface LogDirectory {
  readonly backend: SandboxStore['backend'];
  readonly readOnly: boolean;
  generations(): Promise<number[]>;
  open(generation: number): Promise<LogFile>;
  /** Removes a file; one that another reader still holds may stay behind. */
  remove(generation: number): Promise<void>;
  /**
   * What the store throws instead of `error`, which came from this directory, its files or the log;
   * `action` completes "Cannot …".
   */
  toError(action: string, error: unknown): Error;
}
