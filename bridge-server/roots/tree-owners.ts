import type { ObjectId } from '../../tree/content/object-id.ts';

/** Owns what no sandbox may take away: the images, and trees of callers that name no sandbox. */
const nobody = '';

/**
 * Which sandboxes have which trees in their history, as far as a maker of roots was told: what it caches of a tree
 * that none has any more is deleted.
 */
export class TreeOwners {
  readonly #owners = new Map<ObjectId, Set<string>>();

  /** Whether that was not known. */
  add(tree: ObjectId, sandbox: string = nobody): boolean {
    const owners = this.#owners.get(tree) ?? new Set();
    const isNew = !owners.has(sandbox);
    this.#owners.set(tree, owners.add(sandbox));
    return isNew;
  }

  /** The sandboxes that have a tree. */
  of(tree: ObjectId): readonly string[] {
    return [...(this.#owners.get(tree) ?? [])].filter((owner) => owner !== nobody);
  }

  has(tree: ObjectId): boolean {
    return this.#owners.has(tree);
  }

  /** Of the trees that `sandbox` has had, these are all that it still has. */
  retain(sandbox: string, trees: ReadonlySet<ObjectId>): void {
    for (const [tree, owners] of this.#owners) {
      if (trees.has(tree)) continue;
      owners.delete(sandbox);
      if (owners.size === 0) this.#owners.delete(tree);
    }
  }
}
