import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** No build takes half as long. */
const abandonedAfterMs = 2 * 60 * 60 * 1000;

/** Where downloads and finished work are kept: `COPPICE_CACHE`, else the user's cache folder (XDG). */
export function cachePath(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.COPPICE_CACHE) return environment.COPPICE_CACHE;
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'coppice');
}

/**
 * A folder of finished things. A thing appears under its name by one rename, so what is there is
 * whole, and it is named by a digest of what made it, so a second maker changes nothing.
 */
export class CacheFolder {
  /** Absolute: tools that run in other folders are told of it. */
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  join(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  /** Whether the finished thing `name` is there. */
  async has(name: string): Promise<boolean> {
    return (await stat(this.join(name)).catch(() => undefined)) !== undefined;
  }

  /** Writes a file under `name` in one step. Returns its path. */
  async publishFile(name: string, bytes: Uint8Array | string): Promise<string> {
    return this.#publish(name, (path) => writeFile(path, bytes));
  }

  /** Lets `make` create a folder's content, which appears under `name` when it resolves. Returns its path. */
  async publishFolder(name: string, make: (path: string) => Promise<void>): Promise<string> {
    return this.#publish(name, async (path) => {
      await mkdir(path);
      await make(path);
    });
  }

  /** Moves a finished file or folder of the same file system to `name`. */
  async adopt(name: string, path: string): Promise<void> {
    await mkdir(dirname(this.join(name)), { recursive: true });
    await rename(path, this.join(name)).catch(async (error: unknown) => {
      // Another builder was first: by construction it published the same.
      if (!(await this.has(name))) throw error;
    });
  }

  /** Removes the finished thing `name` in one step, so that it can be made anew. */
  async drop(name: string): Promise<void> {
    await this.withTemporaryFolder(async (folder) => {
      await rename(this.join(name), join(folder, 'dropped')).catch(async (error: unknown) => {
        // Another builder was first.
        if (await this.has(name)) throw error;
      });
    });
  }

  /** Runs `work` with a private folder that is gone afterwards. */
  async withTemporaryFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = this.join('tmp', randomUUID());
    await mkdir(path, { recursive: true });
    try {
      return await work(path);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Removes what builders that were killed left behind. */
  async sweep(nowMs: number = Date.now()): Promise<void> {
    for (const name of await readdir(this.join('tmp')).catch(() => [])) {
      const path = this.join('tmp', name);
      const info = await stat(path).catch(() => undefined);
      if (info && nowMs - info.mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
    }
  }

  async #publish(name: string, make: (path: string) => Promise<void>): Promise<string> {
    await this.withTemporaryFolder(async (folder) => {
      const unfinished = join(folder, 'unfinished');
      await make(unfinished);
      await this.adopt(name, unfinished);
    });
    return this.join(name);
  }
}
