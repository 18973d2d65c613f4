import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LauncherRequests } from '../launcher-requests.ts';
import { removeFolder } from '../remove-folder.ts';

/**
 * Subvolumes of btrfs (guest/launch/subvolumes.h): a sandbox stands still while one is made. Owns the process that
 * makes them.
 */
export class Subvolumes implements AsyncDisposable {
  readonly #requests: LauncherRequests;

  constructor(launcher: string) {
    this.#requests = new LauncherRequests(launcher, '--subvolumes');
  }

  /** Makes an empty subvolume, which looks like a folder. @throws storage-full, internal */
  async create(path: string): Promise<void> {
    await this.#requests.request(`make ${path}`, ['c', '', path]);
  }

  /**
   * Makes `to` of the files that `from` has now, in constant time plus what is not yet on disk of
   * them: a snapshot is part of a commit. @throws as `create`
   */
  async snapshot(from: string, to: string, { isReadOnly }: { readonly isReadOnly: boolean }): Promise<void> {
    await this.#requests.request(`make ${to}`, [isReadOnly ? 'r' : 's', from, to]);
  }

  /** Deletes a subvolume, if it is there; what it alone had is freed by the kernel later. @throws as `create` */
  async delete(path: string): Promise<void> {
    if ((await lstat(path).catch(() => undefined)) === undefined) return;
    await this.#requests.request(`delete ${path}`, ['d', '', path]);
  }

  /** Empties a folder of subvolumes, and of what else is there. @throws as `create` */
  async empty(folder: string): Promise<void> {
    for (const name of await readdir(folder)) await this.remove(join(folder, name));
  }

  /** Deletes a subvolume, or what else is there. @throws as `create` */
  async remove(path: string): Promise<void> {
    await this.delete(path).catch(() => removeFolder(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requests[Symbol.asyncDispose]();
  }
}
