import { rmSync, statfsSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { runHostTool } from '../programs/host-tool.ts';
import { diskError } from './disk-error.ts';

/** A disk is full where less is free than this part of what is held back: the host needs some at its start. */
const fullParts = 8;

/**
 * Room on the disk of a folder that this host holds back for itself: a file, preallocated. On a full disk
 * it is given up, so that the host starts and can delete what takes the room; then it is made again.
 */
export class DiskReserve implements AsyncDisposable {
  readonly #path: string;
  readonly #sizeBytes: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #making: Promise<void> | undefined;

  private constructor(folder: string) {
    this.#path = join(folder, 'reserve');
    const { blocks, bsize } = statfsSync(folder);
    this.#sizeBytes = Math.min(
      limits.diskReserveBytes,
      Math.floor((blocks * bsize) / limits.diskReserveParts),
    );
    this.#timer = setInterval(() => void this.restore(), limits.diskReserveCheckMs).unref();
  }

  /**
   * Gives the room up at once where the disk is full, or, where there was none, what is in `caches`. `folder` is this host's
   * alone. @throws internal
   */
  static open(folder: string, { caches = [] }: { readonly caches?: readonly string[] } = {}): DiskReserve {
    const reserve = new DiskReserve(folder);
    const isFull = reserve.#freeBytes() < reserve.#sizeBytes / fullParts;
    if (isFull && !reserve.release())
      for (const cache of caches) rmSync(cache, { recursive: true, force: true });
    return reserve;
  }

  /** Whether room is held back now: all of it, or what there was of it. */
  get isHeld(): boolean {
    return this.#heldBytes > 0;
  }

  /** Gives the room up; answers whether there was any. */
  release(): boolean {
    const wasHeld = this.isHeld;
    rmSync(this.#path, { force: true });
    return wasHeld;
  }

  /** Holds the room back, or more of it than before, as far as there is some. Never rejects. */
  restore(): Promise<void> {
    this.#making ??= this.#make()
      .catch((error) => console.warn('No room on the disk is held back:', error))
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  /** Does what gives room back, a second time with the reserve's where the disk is too full for it. */
  async freeing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFull(error) || !this.release()) throw error;
      return await work();
    }
  }

  /** The same for what is done at once, and must not be lost. */
  using<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isFull(error) || !this.release()) throw error;
      return work();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#making;
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(join(this.#path, '..'));
    return bavail * bsize;
  }

  get #heldBytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** As much as may be held back, with half of what is free left to others. */
  #wantedBytes(): number {
    return Math.min(this.#sizeBytes, Math.floor((this.#freeBytes() + this.#heldBytes) / 2));
  }

  /** Under another name until it is whole: a crash leaves what was there before, or all of it. */
  async #make(): Promise<void> {
    const sizeBytes = this.#wantedBytes();
    const isWhole = sizeBytes === this.#sizeBytes;
    const held = this.#heldBytes;
    // A part of it is not made anew for a little more.
    if (held >= sizeBytes || (!isWhole && sizeBytes < Math.max(limits.diskReserveLeastBytes, 2 * held)))
      return;
    const making = `${this.#path}.making`;
    try {
      await runHostTool('fallocate', ['--length', String(sizeBytes), making]).catch(() =>
        writeZeros(making, sizeBytes),
      );
      await rename(making, this.#path);
    } catch (error) {
      await rm(making, { force: true });
      throw diskError('hold room on the disk back', error);
    }
  }
}

function isFull(error: unknown): boolean {
  return SandboxError.from(error).code === 'storage-full';
}

/** For file systems that cannot allocate without writing. */
async function writeZeros(path: string, sizeBytes: number): Promise<void> {
  await using file: FileHandle = await open(path, 'w', 0o600);
  const piece = Buffer.alloc(1_048_576);
  for (let at = 0; at < sizeBytes; at += piece.length) {
    const { bytesWritten } = await file.write(piece, 0, Math.min(piece.length, sizeBytes - at), at);
    if (bytesWritten === 0) throw new SandboxError('storage-full', 'Cannot write: the disk is full');
  }
  await file.sync();
}
