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
 * edges here skip forgotten ones. A snapshot is added at a cost that does not depend on how many there are.
 */
export class SnapshotGraph {
  /** Oldest first. */
  readonly #nodes: Map<SnapshotId, GraphNode> = new Map();
  readonly #children: Map<SnapshotId, SnapshotId[]> = new Map();
  #newestOrdinal = 0;

  constructor(nodes: Iterable<GraphNode>) {
    for (const node of [...nodes].sort((a, b) => a.ordinal - b.ordinal)) this.add(node);
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
    return [...(this.#children.get(id) ?? [])];
  }

  /** The tips of all branches, oldest first. */
  leaves(): SnapshotId[] {
    return [...this.#nodes.keys()].filter((id) => !this.#children.has(id));
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

  /** The place of a new snapshot, a child of those `parents` that are in the graph. */
  placeOf(id: SnapshotId, parents: readonly SnapshotId[]): GraphNode {
    const kept = parents.filter((parent) => this.#nodes.has(parent));
    return { id, ordinal: this.#newestOrdinal + 1, parents: kept };
  }

  /** Adds a snapshot that is not in the graph and newer than all that are, as `placeOf` answers it. */
  add(node: GraphNode): void {
    this.#nodes.set(node.id, node);
    this.#newestOrdinal = node.ordinal;
    for (const parent of node.parents) {
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(node.id);
      else this.#children.set(parent, [node.id]);
    }
  }

  /** A graph without `forgotten`: their children become children of the nearest ancestors that stay. */
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
