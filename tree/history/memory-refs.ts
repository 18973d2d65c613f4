import { byName } from '../objects/memory-store.ts';
import type { RefStore } from '../objects/object-store.ts';
import { assertRefChange } from '../objects/sandbox-store.ts';

/** Refs that end with the process: the executable definition of `RefStore`. */
export class MemoryRefs implements RefStore {
  readonly #refs = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    return this.#refs.get(name);
  }

  async list(prefix: string): Promise<[name: string, value: string][]> {
    return [...this.#refs].filter(([name]) => name.startsWith(prefix)).sort(byName);
  }

  async compareAndSwap(
    name: string,
    expected: string | undefined,
    next: string | undefined,
  ): Promise<boolean> {
    assertRefChange({ name, value: next });
    if (this.#refs.get(name) !== expected) return false;
    if (next === undefined) this.#refs.delete(name);
    else this.#refs.set(name, next);
    return true;
  }
}
