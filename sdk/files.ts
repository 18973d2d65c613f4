import { SandboxError } from '../protocol/errors.ts';
import type { FileInfo, SandboxConnection, TreeRef } from '../protocol/sandbox.ts';

const encoder = new TextEncoder();

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
    const bytes = await this.#connection.readFile(path, options.at);
    return options.format === 'bytes' ? bytes : new TextDecoder().decode(bytes);
  }

  write(path: string, data: string | Uint8Array, options?: { mode?: number }): Promise<void> {
    return this.#connection.writeFile(path, typeof data === 'string' ? encoder.encode(data) : data, options);
  }

  /** The entries of a directory, sorted by name. @throws not-found */
  list(path: string, options: { at?: TreeRef } = {}): Promise<FileInfo[]> {
    return this.#connection.listFiles(path, options.at);
  }

  getInfo(path: string, options: { at?: TreeRef } = {}): Promise<FileInfo> {
    return this.#connection.statFile(path, options.at);
  }

  async exists(path: string, options: { at?: TreeRef } = {}): Promise<boolean> {
    try {
      await this.#connection.statFile(path, options.at);
      return true;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (error.code === 'not-found') return false;
      throw error;
    }
  }

  /** Makes the directory and its parents; one that exists is left as it is. */
  makeDir(path: string): Promise<void> {
    return this.#connection.makeDirectory(path);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#connection.renameFile(from, to);
  }

  /** Removes a file, or a directory with all it holds. */
  remove(path: string): Promise<void> {
    return this.#connection.removeFile(path);
  }
}
