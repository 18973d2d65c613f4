const bits = 6;
/** Entries of a node. */
const fanOut = 1 << bits;
const mask = fanOut - 1;
/** Levels above the leaves; three levels in all hold 262,144 pages, a GiB. */
const innerLevels = 2;

type Leaf = Uint32Array;
type Inner = readonly (Inner | Leaf)[];

/** No page was ever put there: it is zero. */
export const zeroPage = 0;

const emptyLeaf: Leaf = new Uint32Array(fanOut);
const emptyInner: Inner = Array.from({ length: fanOut }, () => emptyLeaf);
const emptyRoot: Inner = Array.from({ length: fanOut }, () => emptyInner);

/**
 * Which content each page of a machine's RAM has, as a value: a radix tree of content ids by page
 * number. Tables share what is equal, so that a changed copy costs its changes, and so does a comparison.
 */
export class PageTable {
  static readonly empty: PageTable = new PageTable(emptyRoot);
  readonly #root: Inner;

  private constructor(root: Inner) {
    this.#root = root;
  }

  get(page: number): number {
    const inner = this.#root[page >>> (bits * innerLevels)] as Inner;
    return (inner[(page >>> bits) & mask] as Leaf)[page & mask] ?? zeroPage;
  }

  /** A table with these pages changed: `ids[n]` is that of page `pages[n]`. */
  with(pages: Uint32Array, ids: Uint32Array): PageTable {
    const root = [...this.#root];
    const own = new Set<Inner | Leaf>();
    for (const [index, page] of pages.entries()) {
      const top = page >>> (bits * innerLevels);
      const inner = ownInner(root, { at: top, own });
      const leaf = ownLeaf(inner, { at: (page >>> bits) & mask, own });
      leaf[page & mask] = ids[index] ?? zeroPage;
    }
    return new PageTable(root);
  }

  /** Visits every id, leaving out the parts of the tree that are in `seen`, which grows by those that were visited. */
  eachId(visit: (id: number) => void, seen: Set<unknown>): void {
    for (const inner of this.#root) {
      if (seen.has(inner)) continue;
      seen.add(inner);
      for (const leaf of inner as readonly Leaf[]) {
        if (seen.has(leaf)) continue;
        seen.add(leaf);
        leaf.forEach(visit);
      }
    }
  }

  /** Visits the pages that differ, in order, with the ids in this and in the other. */
  compare(other: PageTable, visit: (page: number, here: number, there: number) => void): void {
    for (let top = 0; top < fanOut; top++) {
      const [here, there] = [this.#root[top] as Inner, other.#root[top] as Inner];
      if (here === there) continue;
      for (let middle = 0; middle < fanOut; middle++) {
        const [a, b] = [here[middle] as Leaf, there[middle] as Leaf];
        if (a === b) continue;
        const first = ((top << bits) | middle) << bits;
        for (let at = 0; at < fanOut; at++) {
          const [ours = zeroPage, theirs = zeroPage] = [a[at], b[at]];
          if (ours !== theirs) visit(first | at, ours, theirs);
        }
      }
    }
  }
}

interface Owning {
  readonly at: number;
  /** Nodes that were made for this change. */
  readonly own: Set<Inner | Leaf>;
}

function ownInner(nodes: (Inner | Leaf)[], { at, own }: Owning): (Inner | Leaf)[] {
  const node = nodes[at] as Inner;
  if (own.has(node)) return node as (Inner | Leaf)[];
  const copy = [...node];
  own.add(copy);
  nodes[at] = copy;
  return copy;
}

function ownLeaf(nodes: (Inner | Leaf)[], { at, own }: Owning): Leaf {
  const leaf = nodes[at] as Leaf;
  if (own.has(leaf)) return leaf;
  const copy = leaf.slice();
  own.add(copy);
  nodes[at] = copy;
  return copy;
}
