import { limits } from '../../protocol/limits.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { LoadedBase } from './load-base.ts';

/** What is at hand of a sandbox that nobody has opened. */
interface Unopened {
  readonly tree?: SealedTree | undefined;
  readonly base?: LoadedBase | undefined;
}

/** Trees of forks and of what came in, the last few: those of forks share what is in memory with their parents. */
export class UnopenedTrees {
  readonly #unopened = new Map<string, Unopened>();

  put(id: string, tree: SealedTree | undefined, base?: LoadedBase): void {
    if (!tree && !base) return;
    this.#unopened.set(id, { tree, base });
    const [oldest] = this.#unopened.keys();
    if (oldest !== undefined && this.#unopened.size > limits.unopenedTrees) this.#unopened.delete(oldest);
  }

  /** That of a sandbox that is opened, or deleted: it is forgotten here. */
  take(id: string): Unopened | undefined {
    const unopened = this.#unopened.get(id);
    this.#unopened.delete(id);
    return unopened;
  }
}
