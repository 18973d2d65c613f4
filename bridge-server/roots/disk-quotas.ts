import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { DiskRoom } from '../contract.ts';
import { LauncherRequests } from './launcher-requests.ts';

/** What of the kernel holds a root to its disk. */
export type QuotaKind = 'project-quota' | 'btrfs-quota';

/** A request of the program that sets limits: a command, its arguments, and a folder (guest/launch/disk-quota.h). */
type QuotaRequest = readonly [command: string, argument: string, folder: string];

/** What that program is asked, for each kind. */
interface QuotaRequests {
  /** Has what comes into a folder counted; nothing to ask where that is so by itself. */
  count?(folder: string): QuotaRequest;
  /** The most that may count against a root, as a multiple of its disk. */
  readonly disks: number;
  used(folder: string): QuotaRequest;
  limit(folder: string, bytes: number): QuotaRequest;
  /** Nothing to ask where the limit goes with the folder. */
  forget?(folder: string, beside: string): QuotaRequest;
}

const requestsOf: Readonly<Record<QuotaKind, QuotaRequests>> = {
  'project-quota': {
    count: (folder) => ['p', String(projectOf(folder)), folder],
    disks: 1,
    used: (folder) => ['u', String(projectOf(folder)), folder],
    limit: (folder, bytes) => ['l', `${projectOf(folder)} ${bytes}`, folder],
    forget: (folder, beside) => ['l', `${projectOf(folder)} 0`, beside],
  },
  'btrfs-quota': {
    // A subvolume refers to its layers as well: the image, and a change of that.
    disks: 3,
    used: (folder) => ['r', '', folder],
    limit: (folder, bytes) => ['b', String(bytes), folder],
  },
};

/** Limits that the kernel holds the folders of roots to. Owns the process that sets them. */
export class DiskQuotas implements AsyncDisposable {
  readonly kind: QuotaKind;
  readonly #launcher: LauncherRequests;
  readonly #requests: QuotaRequests;

  constructor(kind: QuotaKind, { launcher }: { readonly launcher: string }) {
    this.kind = kind;
    this.#requests = requestsOf[kind];
    this.#launcher = new LauncherRequests(launcher, '--disk-quota');
  }

  /** To be called before anything is in the folder of a root. @throws unsupported, internal */
  async prepare(folder: string): Promise<void> {
    const request = this.#requests.count?.(folder);
    if (request) await this.#launcher.request(`count what is in ${folder}`, request);
  }

  /** @throws as `prepare` */
  async allow(folder: string, { roomBytes, totalBytes }: DiskRoom): Promise<void> {
    const { disks, used: askUsed, limit } = this.#requests;
    const what = `limit what ${folder} takes`;
    const used = await this.#launcher.request(what, askUsed(folder));
    const cap = Math.max(disks * totalBytes, used);
    const most = Math.max(Math.min(used + roomBytes, cap), minimumBytes);
    await this.#launcher.request(what, limit(folder, most));
  }

  /** The root that was in `folder`, on the file system of `beside`, is gone. */
  async forget(folder: string, beside: string): Promise<void> {
    const request = this.#requests.forget?.(folder, beside);
    if (request) await this.#launcher.request('forget a limit', request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#launcher[Symbol.asyncDispose]();
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
