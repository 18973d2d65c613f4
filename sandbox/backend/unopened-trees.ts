import { limits } from '../../protocol/limits.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';

/** Trees of forks that nobody has opened, the last few: they share what is in memory with their parents. */
export class UnopenedTrees {
  readonly #trees = new Map<string, SealedTree>();

  put(id: string, tree: SealedTree | undefined): void {
    if (!tree) return;
    this.#trees.set(id, tree);
    const [oldest] = this.#trees.keys();
    if (oldest !== undefined && this.#trees.size > limits.unopenedTrees) this.#trees.delete(oldest);
  }

  /** That of a sandbox that is opened, or deleted: it is forgotten here. */
  take(id: string): SealedTree | undefined {
    const tree = this.#trees.get(id);
    this.#trees.delete(id);
    return tree;
  }
}
