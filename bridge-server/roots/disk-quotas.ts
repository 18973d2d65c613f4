import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { DiskRoom } from '../contract.ts';
import { LauncherRequests } from './launcher-requests.ts';

/** What of the kernel holds a root to its disk. */
export type QuotaKind = 'project-quota' | 'btrfs-quota';

/** Limits that the kernel holds the folders of roots to (guest/launch/disk-quota.h). Owns the process that sets them. */
export class DiskQuotas implements AsyncDisposable {
  readonly kind: QuotaKind;
  readonly #requests: LauncherRequests;

  constructor(kind: QuotaKind, { launcher }: { readonly launcher: string }) {
    this.kind = kind;
    this.#requests = new LauncherRequests(launcher, '--disk-quota');
  }

  /** To be called before anything is in the folder of a root. @throws unsupported, internal */
  async prepare(folder: string): Promise<void> {
    if (this.kind !== 'project-quota') return;
    await this.#requests.request(`count what is in ${folder}`, ['p', String(projectOf(folder)), folder]);
  }

  /** @throws as `prepare` */
  async allow(folder: string, { roomBytes, totalBytes }: DiskRoom): Promise<void> {
    const isProject = this.kind === 'project-quota';
    const project = projectOf(folder);
    const what = `limit what ${folder} takes`;
    const used = await this.#requests.request(
      what,
      isProject ? ['u', String(project), folder] : ['r', '', folder],
    );
    // A subvolume refers to its layers as well: the image, and a change of that.
    const cap = Math.max(isProject ? totalBytes : 3 * totalBytes, used);
    const most = Math.max(Math.min(used + roomBytes, cap), minimumBytes);
    const limit = isProject ? ['l', `${project} ${most}`, folder] : ['b', String(most), folder];
    await this.#requests.request(what, limit);
  }

  /** The root that was in `folder`, on the file system of `beside`, is gone. */
  async forget(folder: string, beside: string): Promise<void> {
    if (this.kind !== 'project-quota') return; // That of a subvolume goes with it.
    await this.#requests.request('forget a limit', ['l', `${projectOf(folder)} 0`, beside]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requests[Symbol.asyncDispose]();
  }
}

/** A limit of 0 is none. */
const minimumBytes = 4_096;

/**
 * The project of a root, which the next bridge finds by its folder's name, a UUID, too. Above those that people
 * number by hand; two alike of so many are told apart by nothing, and would share a limit.
 */
function projectOf(folder: string): number {
  return 2 ** 31 + (Number.parseInt(hash('sha256', basename(folder), 'hex').slice(0, 8), 16) % 2 ** 30);
}
