import { rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../../host/run-tool.ts';
import { type Ext4Volume, openExt4Volume } from '../../fixtures/ext4-volume.ts';

/** A file system of its own, small enough to be filled: ext4 in a file. Unmounted and deleted when it is disposed of. */
export class SmallDisk implements AsyncDisposable {
  readonly #volume: Ext4Volume;

  private constructor(volume: Ext4Volume) {
    this.#volume = volume;
  }

  /** Needs root and loop devices. */
  static async open({ sizeBytes }: { readonly sizeBytes: number }): Promise<SmallDisk> {
    return new SmallDisk(await openExt4Volume({ sizeBytes, hasQuotas: false }));
  }

  get folder(): string {
    return this.#volume.folder;
  }

  /** Takes all room but so much; again, what has become free since. */
  async fill(leaveBytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder);
    const before = await stat(this.#filling).catch(() => undefined);
    const sizeBytes = (before?.size ?? 0) + Math.max(bsize, bavail * bsize - leaveBytes);
    // What others take meanwhile is theirs: then it stays smaller.
    await runTool(['fallocate', '-l', String(sizeBytes), this.#filling]).catch(() => undefined);
  }

  /** Gives back what `fill` took. */
  async free(): Promise<void> {
    await rm(this.#filling, { force: true });
  }

  get #filling(): string {
    return join(this.folder, 'filling');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#volume[Symbol.asyncDispose]();
  }
}
