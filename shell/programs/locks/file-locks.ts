import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { wait } from '../streams/wait.ts';

/** Who has a lock on a file. One that is no longer alive has none. */
interface LockHolder {
  readonly isShared: boolean;
  isAlive(): Promise<boolean>;
}

interface LockRequest {
  /** What asks: its own lock does not stand in its way, and is replaced. */
  readonly owner: object;
  readonly holder: LockHolder;
  readonly signal: AbortSignal;
  /** How long it waits; 0: not at all. */
  readonly timeoutMs: number;
}

/** How long it takes until a lock that was let go is seen, in milliseconds. */
const pollMs = 10;

const locksOfTrees = new WeakMap<LiveTree, FileLocks>();

/** The locks on files of a tree (flock(2)): whoever asks for them respects them, and nobody else. */
export class FileLocks {
  readonly #holders: Map<Ino, Map<object, LockHolder>> = new Map();

  static of(tree: LiveTree): FileLocks {
    const known = locksOfTrees.get(tree);
    if (known) return known;
    const made = new FileLocks();
    locksOfTrees.set(tree, made);
    return made;
  }

  /** Whether it got the lock in time. @throws what the signal was aborted with */
  async lock(ino: Ino, request: LockRequest): Promise<boolean> {
    const { owner, holder, signal, timeoutMs } = request;
    const until = performance.now() + timeoutMs;
    for (;;) {
      await this.#forgetDead();
      signal.throwIfAborted();
      const holders = this.#holders.get(ino) ?? new Map<object, LockHolder>();
      const isBlocked = [...holders].some(
        ([other, { isShared }]) => other !== owner && !(isShared && holder.isShared),
      );
      if (!isBlocked) {
        this.#holders.set(ino, holders.set(owner, holder));
        return true;
      }
      const left = until - performance.now();
      if (left <= 0) return false;
      await wait(Math.min(left, pollMs), signal);
    }
  }

  unlock(ino: Ino, owner: object): void {
    const holders = this.#holders.get(ino);
    holders?.delete(owner);
    if (holders?.size === 0) this.#holders.delete(ino);
  }

  async #forgetDead(): Promise<void> {
    for (const [ino, holders] of [...this.#holders]) {
      for (const [owner, holder] of [...holders]) {
        if (!(await holder.isAlive()) && holders.get(owner) === holder) this.unlock(ino, owner);
      }
    }
  }
}
