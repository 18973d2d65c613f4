import { limits } from '../../protocol/limits.ts';
import type { DiskRoom, Jail, Root } from '../contract.ts';

export interface WatchedDiskParts {
  readonly root: Pick<Root, 'usedBytes'>;
  readonly jail: Pick<Jail, 'isAlone' | 'usage' | 'written' | 'kill'>;
}

/** What its processes had written when a sandbox had too much, and what it had. */
interface Excess {
  readonly usedBytes: number;
  readonly written: ReadonlyMap<number, number | undefined>;
}

/**
 * The disk of a sandbox that its kernel does not hold to a limit: who goes on writing past that is killed. The
 * files stay, and deleting some is no writing.
 */
export class WatchedDisk implements Disposable {
  readonly #parts: WatchedDiskParts;
  readonly #onGone: () => void;
  /** What it may have from when it is measured next. */
  #room: DiskRoom | undefined;
  #mostBytes = Number.POSITIVE_INFINITY;
  #usedBytes = 0;
  /** What the file system has lost since it was measured: it has grown by no more, unless others gave room back. */
  #lostBytes = 0;
  #nextMs = 0;
  #cpuMs: number | undefined;
  #excess: Excess | undefined;
  #kills = 0;
  #isGone = false;

  constructor(parts: WatchedDiskParts, { onGone }: { readonly onGone: () => void }) {
    this.#parts = parts;
    this.#onGone = onGone;
  }

  /** Processes that were killed because they wrote past the limit. */
  get kills(): number {
    return this.#kills;
  }

  /** From the next look on, and of what it takes then. */
  allow(room: DiskRoom): void {
    this.#room = room;
  }

  /** `lostBytes`: by how much all that is free has become less since the last look. @throws internal */
  async look(lostBytes: number): Promise<void> {
    this.#lostBytes += lostBytes;
    if (!this.#isDue()) return;
    const startedMs = performance.now();
    const usedBytes = await this.#parts.root.usedBytes().catch((error: unknown) => {
      // The files go with the sandbox.
      if (!this.#isGone) throw error;
    });
    if (usedBytes === undefined) return;
    const endedMs = performance.now();
    this.#nextMs = endedMs + Math.max(limits.diskMeasureMs, (endedMs - startedMs) * limits.diskMeasureRests);
    this.#usedBytes = usedBytes;
    this.#lostBytes = 0;
    if (this.#room) {
      const { roomBytes, totalBytes } = this.#room;
      this.#mostBytes = Math.min(usedBytes + roomBytes, Math.max(totalBytes, usedBytes));
    }
    this.#room = undefined;
    await this.#holdWriters();
  }

  [Symbol.dispose](): void {
    this.#isGone = true;
    this.#onGone();
  }

  #isDue(): boolean {
    const { jail } = this.#parts;
    if (this.#room || this.#excess) return true;
    if (this.#usedBytes + this.#lostBytes > this.#mostBytes) return true;
    // Others may have given back what this one has taken. Who computes nothing writes nothing.
    if (performance.now() < this.#nextMs || jail.isAlone()) return false;
    const { cpuMs } = jail.usage();
    const isIdle = cpuMs !== undefined && cpuMs === this.#cpuMs;
    this.#cpuMs = cpuMs;
    return !isIdle;
  }

  async #holdWriters(): Promise<void> {
    const { jail } = this.#parts;
    const before = this.#excess;
    const usedBytes = this.#usedBytes;
    if (usedBytes <= this.#mostBytes) {
      this.#excess = undefined;
      return;
    }
    const written = await jail.written();
    if (this.#isGone) return;
    this.#excess = { usedBytes, written };
    if (before === undefined) return;
    const writers = [...written].flatMap(([pid, bytes]) => {
      const isWriter = bytes !== undefined && bytes - (before.written.get(pid) ?? 0) > limits.diskStrayBytes;
      return isWriter ? [pid] : [];
    });
    // Room can be taken without writing, as by `fallocate`, and not every host tells who writes.
    const hasGrown = usedBytes > before.usedBytes;
    this.#kills += await jail.kill(writers.length > 0 || !hasGrown ? writers : [...written.keys()]);
  }
}
