import { statfs } from 'node:fs/promises';
import { limits } from '../../protocol/limits.ts';
import { WatchedDisk, type WatchedDiskParts } from './watched-disk.ts';

/**
 * Holds sandboxes to their disks where the kernel does not: looks how much room the file system loses, and has a
 * sandbox measured that may have reached its limit.
 */
export class DiskWatch implements Disposable {
  readonly #folder: string;
  readonly #disks = new Set<WatchedDisk>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #freeBytes: number | undefined;
  #isLooking = false;

  /** `folder` is on the file system of the roots. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Watches a sandbox's disk until what is answered is disposed of. */
  watch(parts: WatchedDiskParts): WatchedDisk {
    const disk = new WatchedDisk(parts, { onGone: () => this.#disks.delete(disk) });
    this.#disks.add(disk);
    this.#timer ??= setInterval(() => void this.#look(), limits.diskWatchMs).unref();
    return disk;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#disks.clear();
  }

  /** A slow disk must not be asked by several rounds at once. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#disks.size === 0) return;
    this.#isLooking = true;
    try {
      const { bavail, bsize } = await statfs(this.#folder);
      const freeBytes = bavail * bsize;
      const lostBytes = Math.max(0, (this.#freeBytes ?? freeBytes) - freeBytes);
      this.#freeBytes = freeBytes;
      await Promise.all([...this.#disks].map((disk) => disk.look(lostBytes)));
    } catch (error) {
      console.warn('The disks of sandboxes are not watched:', error);
    } finally {
      this.#isLooking = false;
    }
  }
}
