import { limits } from '../../../protocol/limits.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { SeenFolder } from '../native-root.ts';

/** A subvolume with all that a root of a tree is made of: nobody changes it. */
export interface CachedUpper {
  readonly path: string;
  /** Its upper directory, if somebody has looked at it. */
  readonly seen: SeenFolder | undefined;
  /** The tree below its upper directory, whose files are in it even where that hides them; none of an image's. */
  readonly below: ObjectId | undefined;
}

interface Entry {
  readonly upper: CachedUpper;
  users: number;
}

/**
 * Upper directories by the tree that they show with what is below them. The last few that nobody uses are kept, of
 * trees that some sandbox has.
 */
export class CachedUppers {
  /** Least recently used first. */
  readonly #entries = new Map<ObjectId, Entry>();
  readonly #discard: (upper: CachedUpper) => void;
  readonly #hasTree: (tree: ObjectId) => boolean;

  constructor(options: {
    readonly discard: (upper: CachedUpper) => void;
    readonly hasTree: (tree: ObjectId) => boolean;
  }) {
    this.#discard = options.discard;
    this.#hasTree = options.hasTree;
  }

  /** Takes `upper` over. The files of a tree are the same wherever they came from, so the first one stays. */
  add(tree: ObjectId, upper: CachedUpper): void {
    const entry = this.#entries.get(tree);
    if (entry) this.#discard(upper);
    this.#touch(tree, entry ?? { upper, users: 0 });
    this.#thinOut();
  }

  /** Does `work` with the upper directory of `tree`, which stays meanwhile; `undefined` when there is none. */
  async use<T>(tree: ObjectId, work: (upper: CachedUpper) => Promise<T>): Promise<T | undefined> {
    const entry = this.#entries.get(tree);
    if (entry === undefined || !this.#isWanted([tree, entry])) return undefined;
    this.#touch(tree, entry);
    entry.users += 1;
    try {
      return await work(entry.upper);
    } finally {
      entry.users -= 1;
      this.#thinOut();
    }
  }

  /** Discards what nobody uses of trees that no sandbox has. */
  discardUnwanted(): void {
    this.#thinOut();
  }

  /** Discards all. Nobody may use one any more. */
  clear(): void {
    for (const { upper } of this.#entries.values()) this.#discard(upper);
    this.#entries.clear();
  }

  #touch(tree: ObjectId, entry: Entry): void {
    this.#entries.delete(tree);
    this.#entries.set(tree, entry);
  }

  #isWanted([tree, { upper }]: readonly [ObjectId, Entry]): boolean {
    return this.#hasTree(tree) && (upper.below === undefined || this.#hasTree(upper.below));
  }

  #thinOut(): void {
    const idle = [...this.#entries].filter(([, { users }]) => users === 0);
    const unwanted = idle.filter((one) => !this.#isWanted(one));
    const wanted = idle.filter((one) => this.#isWanted(one));
    const past = wanted.slice(0, Math.max(0, wanted.length - limits.keptUppers));
    for (const [tree, { upper }] of [...unwanted, ...past]) {
      this.#entries.delete(tree);
      this.#discard(upper);
    }
  }
}
