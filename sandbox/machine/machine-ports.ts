import type { MachineProcessListener, OnArrival } from '../../protocol/machine-process.ts';
import type { ByteStream } from '../../protocol/sandbox/network.ts';
import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';

export interface OutputOptions {
  readonly arrived?: OnArrival | undefined;
  /** Descriptor 3 of the process is a pipe whose bytes come as `status` events. Not with a terminal. */
  readonly hasStatus?: boolean | undefined;
}

/** Starts processes in a machine. How it does that is the machine's own affair: init, a worker, a function. */
export interface ProcessStarter {
  /**
   * Resolves when the program runs; events may come before that. Every process that was started ends with one `exit`
   * event, also when the machine fails or its files are replaced.
   * @throws not-found when the program or the working directory does not exist; busy when too many run;
   * invalid-argument, limit-exceeded for its arguments; unsupported for what the machine lacks, such as a terminal
   * or a status descriptor
   */
  start(
    request: ExecRequest,
    listener: MachineProcessListener,
    options?: OutputOptions,
  ): Promise<ProcessHandle>;
}

/**
 * Changes files of a running machine on behalf of a client, with every right, such that its processes see the change
 * at once. Paths are absolute, not `/`, and free of NUL. Each call resolves when the sandbox's tree can have the
 * change: at the latest with the next `sync` of the machine.
 * @throws not-found, invalid-argument with the machine's own words, storage-full, connection-lost
 */
export interface FileChanger {
  /** Writes the whole file. A new one belongs to the owner of its directory; permissions stay unless `mode` is given. */
  write(options: { path: string; bytes: Uint8Array; mode?: number | undefined }): Promise<void>;
  /** Makes the missing directories above too, for the owner of the nearest one that exists. An existing one is left as it is. */
  makeDirectory(options: { path: string }): Promise<void>;
  /** Removes a file, or a directory with all that it holds. @throws not-found */
  remove(options: { path: string }): Promise<void>;
  /** Replaces a file at `to`, and an empty directory by a directory. */
  rename(options: { path: string; to: string }): Promise<void>;
  /** Copies all of it or nothing, and replaces a file at `to`. @throws invalid-argument where a directory is there */
  copy(options: { path: string; to: string }): Promise<void>;
}

/** Connects to ports of programs in a machine. */
export interface PortConnector {
  /**
   * Connects to a TCP port of the machine's loopback.
   * @throws not-found when nothing listens there, timeout, busy; unsupported in a machine that has no loopback
   */
  connect(port: number): Promise<ByteStream>;
}
