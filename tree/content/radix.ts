const bits = 5;
/** Values in a node at the lowest level. */
export const fanOut: number = 1 << bits;
const mask = fanOut - 1;

/** A node of a radix trie: `children` above the lowest level, `values` at it. */
export interface RadixNode<T> {
  readonly epoch: number;
  readonly children: (RadixNode<T> | undefined)[];
  /** Read it by `valuesOf`. */
  readonly values: (T | undefined)[];
  /** Computes deferred `values` on first use, and removes itself. */
  deferred: (() => void) | undefined;
}

/** The values of a node at the lowest level. @throws what computing deferred values throws */
export function valuesOf<T>(node: RadixNode<T>): (T | undefined)[] {
  if (node.deferred !== undefined) node.deferred();
  return node.values;
}

/**
 * A persistent array indexed by 32-bit numbers: `clone` costs O(1), a change copies at most one path
 * of nodes, and nothing at all when the nodes carry the caller's epoch (see `nextEpoch`).
 */
export class Radix<T> {
  #root: RadixNode<T> | undefined;
  /** Levels of nodes below the root; 0 when the root holds values. */
  #height: number;

  constructor(root?: RadixNode<T>, height = 0) {
    this.#root = root;
    this.#height = height;
  }

  /** The array with `values` from index 0 on, built at once. */
  static of<T>(values: readonly (T | undefined)[], epoch: number): Radix<T> {
    const leaves: RadixNode<T>[] = [];
    for (let at = 0; at < values.length; at += fanOut)
      leaves.push({ epoch, children: [], values: values.slice(at, at + fanOut), deferred: undefined });
    return Radix.ofLeaves(leaves, epoch);
  }

  /** The array that has these nodes at its lowest level. */
  static ofLeaves<T>(leaves: readonly RadixNode<T>[], epoch: number): Radix<T> {
    let level = leaves;
    let height = 0;
    for (; level.length > 1; height++) {
      const nodes: RadixNode<T>[] = [];
      for (let at = 0; at < level.length; at += fanOut)
        nodes.push({ epoch, children: level.slice(at, at + fanOut), values: [], deferred: undefined });
      level = nodes;
    }
    return new Radix(level[0], height);
  }

  get root(): RadixNode<T> | undefined {
    return this.#root;
  }

  get height(): number {
    return this.#height;
  }

  /** A second array with the same content; the two no longer affect one another once epochs differ. */
  clone(): Radix<T> {
    return new Radix(this.#root, this.#height);
  }

  get(index: number): T | undefined {
    let node = this.#root;
    if (this.#height < 6 && index >>> (bits * (this.#height + 1)) !== 0) return undefined;
    for (let shift = this.#height * bits; shift > 0 && node !== undefined; shift -= bits) {
      node = node.children[(index >>> shift) & mask];
    }
    return node && valuesOf(node)[index & mask];
  }

  set(index: number, value: T, epoch: number): void {
    while (this.#height < 6 && index >>> (bits * (this.#height + 1)) !== 0) {
      this.#root = this.#root && { epoch, children: [this.#root], values: [], deferred: undefined };
      this.#height += 1;
    }
    let node = owned(this.#root, epoch);
    this.#root = node;
    for (let shift = this.#height * bits; shift > 0; shift -= bits) {
      const slot = (index >>> shift) & mask;
      const child = owned(node.children[slot], epoch);
      put(node.children, slot, child);
      node = child;
    }
    put(node.values, index & mask, value);
  }

  /** Empties a slot; nodes that become empty go with it. */
  delete(index: number, epoch: number): void {
    if (this.get(index) !== undefined)
      this.#root = without(this.#root, { index, epoch, level: this.#height });
  }

  /** Empties every slot from `length` on; answers how many held a value. */
  truncate(length: number, epoch: number): number {
    const dropped = { count: 0 };
    this.#root = cut(this.#root, { length, epoch, level: this.#height, start: 0, dropped });
    return dropped.count;
  }

  /** Visits the values in index order. */
  forEach(visit: (value: T, index: number) => void): void {
    if (this.#root) walk(this.#root, { level: this.#height, start: 0, visit });
  }
}

/** Sets a slot of a node. */
export function put<T>(slots: (T | undefined)[], slot: number, value: T): void {
  // A write past the end would make the array sparse, which V8 keeps as a slow kind of elements.
  while (slots.length < slot) slots.push(undefined);
  slots[slot] = value;
}

function owned<T>(node: RadixNode<T> | undefined, epoch: number): RadixNode<T> {
  if (node === undefined) return { epoch, children: [], values: [], deferred: undefined };
  const values = valuesOf(node);
  if (node.epoch === epoch) return node;
  // One of the two arrays is always empty and stays so: it need not be copied.
  const { children } = node;
  if (children.length > 0) return { epoch, children: children.slice(), values, deferred: undefined };
  return { epoch, children, values: values.slice(), deferred: undefined };
}

function without<T>(
  node: RadixNode<T> | undefined,
  at: { index: number; epoch: number; level: number },
): RadixNode<T> | undefined {
  if (node === undefined) return undefined;
  const copy = owned(node, at.epoch);
  const slot = (at.index >>> (at.level * bits)) & mask;
  if (at.level === 0) copy.values[slot] = undefined;
  else copy.children[slot] = without(copy.children[slot], { ...at, level: at.level - 1 });
  return isEmpty(copy) ? undefined : copy;
}

function cut<T>(
  node: RadixNode<T> | undefined,
  at: { length: number; epoch: number; level: number; start: number; dropped: { count: number } },
): RadixNode<T> | undefined {
  if (node === undefined) return undefined;
  const span = 2 ** (bits * at.level);
  if (at.start + span * fanOut <= at.length) return node;
  if (at.start >= at.length) {
    walk(node, { level: at.level, start: at.start, visit: () => at.dropped.count++ });
    return undefined;
  }
  const copy = owned(node, at.epoch);
  if (at.level === 0) {
    for (let slot = at.length - at.start; slot < copy.values.length; slot++) {
      if (copy.values[slot] !== undefined) at.dropped.count += 1;
      copy.values[slot] = undefined;
    }
  } else {
    for (let slot = 0; slot < copy.children.length; slot++) {
      const start = at.start + slot * span;
      copy.children[slot] = cut(copy.children[slot], { ...at, level: at.level - 1, start });
    }
  }
  return isEmpty(copy) ? undefined : copy;
}

function walk<T>(
  node: RadixNode<T>,
  at: { level: number; start: number; visit: (value: T, index: number) => void },
): void {
  const values = valuesOf(node);
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot];
    if (value !== undefined) at.visit(value, at.start + slot);
  }
  for (let slot = 0; slot < node.children.length; slot++) {
    const child = node.children[slot];
    const start = at.start + slot * 2 ** (bits * at.level);
    if (child) walk(child, { level: at.level - 1, start, visit: at.visit });
  }
}

function isEmpty<T>(node: RadixNode<T>): boolean {
  return (
    node.children.every((child) => child === undefined) && node.values.every((value) => value === undefined)
  );
}
