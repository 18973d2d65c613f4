import { statfsSync } from 'node:fs';
import { limits } from '../../protocol/limits.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { MakeOptions } from '../contract.ts';

/** Makes what roots of a fork share (`RootMaker.makeAhead`). */
type MakeAhead = (told: Pick<MakeOptions, 'signal' | 'onUnpack'>) => Promise<void>;

interface Job {
  readonly forks: Set<string>;
  readonly make: MakeAhead;
  readonly giveUp: AbortController;
}

/**
 * Unpacks what forks begin with before anybody opens them, so that their first commands need not wait: one tree at a time, and
 * only while the disk has room for more than that. Disposing of it ends it.
 */
export class LayersAhead implements AsyncDisposable {
  readonly #hasRoom: () => boolean;
  /** By the tree that the forks begin with; the first is under way. */
  readonly #jobs = new Map<ObjectId, Job>();
  #working: Promise<void> | undefined;
  #isDisposed = false;

  /** Asked before each, and as they grow. */
  constructor(hasRoom: () => boolean) {
    this.#hasRoom = hasRoom;
  }

  /** What it fails with is told by the first start, which makes it then. */
  add(fork: string, tree: ObjectId, make: MakeAhead): void {
    const job = this.#jobs.get(tree);
    if (job) job.forks.add(fork);
    else if (!this.#isDisposed && this.#jobs.size < limits.layersAhead) {
      this.#jobs.set(tree, { forks: new Set([fork]), make, giveUp: new AbortController() });
      this.#working ??= this.#work();
    }
  }

  /** The fork is deleted: what is for no other any more ends. */
  drop(fork: string): void {
    for (const [tree, { forks, giveUp }] of this.#jobs) {
      if (!forks.delete(fork) || forks.size > 0) continue;
      this.#jobs.delete(tree);
      giveUp.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const { giveUp } of this.#jobs.values()) giveUp.abort();
    this.#jobs.clear();
    await this.#working;
  }

  async #work(): Promise<void> {
    for (let [next] = this.#jobs; next; [next] = this.#jobs) {
      const [tree, job] = next;
      await this.#make(job).catch(() => undefined);
      if (this.#jobs.get(tree) === job) this.#jobs.delete(tree);
    }
    this.#working = undefined;
  }

  async #make({ make, giveUp }: Job): Promise<void> {
    if (!this.#hasRoom()) return;
    const onUnpack = (): void => {
      if (!this.#hasRoom()) giveUp.abort();
    };
    await make({ signal: giveUp.signal, onUnpack });
  }
}

/** Whether the disk of `folder` has room for what may never be asked for. */
export function hasRoomAhead(folder: string): boolean {
  const { bavail, blocks } = statfsSync(folder);
  return bavail >= blocks * limits.layersAheadFreeShare;
}
