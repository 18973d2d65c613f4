import { historyLimits } from './limits.ts';
import type { SnapshotId } from './snapshot-record.ts';

/** A snapshot's place in the graph. */
export interface GraphNode {
  readonly id: SnapshotId;
  /** Grows with every snapshot: the order of creation. */
  readonly ordinal: number;
  /** Its nearest ancestors that were not forgotten. */
  readonly parents: readonly SnapshotId[];
}

/**
 * The graph of all snapshots that were not forgotten. A record is immutable and always names its first parents; the
 * edges here skip forgotten ones. An immutable value.
 */
export class SnapshotGraph {
  readonly #nodes: ReadonlyMap<SnapshotId, GraphNode>;
  readonly #children: Map<SnapshotId, SnapshotId[]> = new Map();

  constructor(nodes: Iterable<GraphNode>) {
    const sorted = [...nodes].sort((a, b) => a.ordinal - b.ordinal);
    this.#nodes = new Map(sorted.map((node) => [node.id, node]));
    for (const { id, parents } of sorted) {
      for (const parent of parents) {
        const siblings = this.#children.get(parent);
        if (siblings) siblings.push(id);
        else this.#children.set(parent, [id]);
      }
    }
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** All nodes, oldest first. */
  nodes(): GraphNode[] {
    return [...this.#nodes.values()];
  }

  get(id: SnapshotId): GraphNode | undefined {
    return this.#nodes.get(id);
  }

  /** Oldest first. */
  children(id: SnapshotId): readonly SnapshotId[] {
    return this.#children.get(id) ?? [];
  }

  /** The tips of all branches, oldest first. */
  leaves(): SnapshotId[] {
    return [...this.#nodes.keys()].filter((id) => this.children(id).length === 0);
  }

  /** `from` and its first parents, newest first. */
  line(from: SnapshotId): SnapshotId[] {
    const line: SnapshotId[] = [];
    for (let node = this.#nodes.get(from); node; ) {
      line.push(node.id);
      const parent = node.parents[0];
      node = parent === undefined ? undefined : this.#nodes.get(parent);
    }
    return line;
  }

  /**
   * The newest snapshot that both come from, or are. Where branches were merged both ways (criss-cross), it is one of
   * several nearest ones.
   */
  commonAncestor(one: SnapshotId, other: SnapshotId): SnapshotId | undefined {
    const ofOne = this.#ancestors(one);
    let newest: GraphNode | undefined;
    for (const id of this.#ancestors(other)) {
      const node = this.#nodes.get(id);
      if (node && ofOne.has(id) && node.ordinal > (newest?.ordinal ?? -1)) newest = node;
    }
    return newest?.id;
  }

  /** A snapshot and all that it comes from. */
  #ancestors(id: SnapshotId): ReadonlySet<SnapshotId> {
    const found = new Set<SnapshotId>([id]);
    // The loop also visits those that it adds.
    for (const each of found) for (const parent of this.#nodes.get(each)?.parents ?? []) found.add(parent);
    return found;
  }

  /** The graph with a new snapshot, a child of those `parents` that are in the graph. */
  with(id: SnapshotId, parents: readonly SnapshotId[]): SnapshotGraph {
    const ordinal = (this.nodes().at(-1)?.ordinal ?? 0) + 1;
    const kept = parents.filter((parent) => this.#nodes.has(parent));
    return new SnapshotGraph([...this.nodes(), { id, ordinal, parents: kept }]);
  }

  /** The graph without `forgotten`: their children become children of the nearest ancestors that stay. */
  without(forgotten: ReadonlySet<SnapshotId>): SnapshotGraph {
    const parentsOf = new Map<SnapshotId, readonly SnapshotId[]>();
    const kept: GraphNode[] = [];
    // A parent is always older than its children, so its own new parents are known by then.
    for (const node of this.nodes()) {
      const parents = [
        ...new Set(
          node.parents.flatMap((parent) =>
            forgotten.has(parent) ? (parentsOf.get(parent) ?? []) : [parent],
          ),
        ),
      ].slice(0, historyLimits.parents);
      parentsOf.set(node.id, parents);
      if (forgotten.has(node.id)) continue;
      const isSame =
        parents.length === node.parents.length && parents.every((id, n) => id === node.parents[n]);
      kept.push(isSame ? node : { ...node, parents });
    }
    return new SnapshotGraph(kept);
  }
}
