import { SandboxError } from '../protocol/errors.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { FileInfo } from '../protocol/sandbox/files.ts';
import type { TreeRef } from '../protocol/sandbox/refs.ts';

const encoder = new TextEncoder();
/** A byte order mark is part of a file: what is read and written again is the same. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The files of a sandbox, now or in a snapshot: `sandbox.files`. Paths are absolute. */
export class Files {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  read(path: string, options?: { format?: 'text'; at?: TreeRef }): Promise<string>;
  read(path: string, options: { format: 'bytes'; at?: TreeRef }): Promise<Uint8Array>;
  /** @throws not-found */
  async read(
    path: string,
    options: { format?: 'text' | 'bytes'; at?: TreeRef } = {},
  ): Promise<string | Uint8Array> {
    const bytes = await this.#connection.files.read({ path, at: options.at });
    return options.format === 'bytes' ? bytes : decoder.decode(bytes);
  }

  write(path: string, data: string | Uint8Array, options?: { mode?: number }): Promise<void> {
    return this.#connection.files.write({
      path,
      bytes: typeof data === 'string' ? encoder.encode(data) : data,
      ...options,
    });
  }

  /** The entries of a directory, sorted by name. @throws not-found */
  list(path: string, options: { at?: TreeRef } = {}): Promise<FileInfo[]> {
    return this.#connection.files.list({ path, at: options.at });
  }

  stat(path: string, options: { at?: TreeRef } = {}): Promise<FileInfo> {
    return this.#connection.files.stat({ path, at: options.at });
  }

  async exists(path: string, options: { at?: TreeRef } = {}): Promise<boolean> {
    try {
      await this.#connection.files.stat({ path, at: options.at });
      return true;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (error.code === 'not-found') return false;
      throw error;
    }
  }

  /** Makes the directory and its parents; one that exists is left as it is. */
  makeDirectory(path: string): Promise<void> {
    return this.#connection.files.makeDirectory({ path });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#connection.files.rename({ from, to });
  }

  /** Copies a file, or a directory with all it holds; blocks are shared where the file system can do that. */
  copy(from: string, to: string): Promise<void> {
    return this.#connection.files.copy({ from, to });
  }

  /** Removes a file, or a directory with all it holds. */
  remove(path: string): Promise<void> {
    return this.#connection.files.remove({ path });
  }
}
