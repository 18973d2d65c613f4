import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** The part of a snapshot that the layout uses. */
export interface LaneNode {
  readonly id: SnapshotId;
  readonly parents: readonly SnapshotId[];
}

/** A line through one row. `fromLane` is at the row's top or, for `'below'`, where the node is. */
export interface LaneEdge {
  readonly type: 'through' | 'above' | 'below';
  readonly lane: number;
  /** Whether it is on the path from the root to now. */
  readonly live: boolean;
}

/** Where a node sits and which lines touch its row. */
export interface LaneRow {
  readonly id: SnapshotId | 'now';
  readonly lane: number;
  /** Whether it is an ancestor of now, or now itself. */
  readonly live: boolean;
  readonly edges: readonly LaneEdge[];
}

interface Lane {
  readonly awaits: SnapshotId;
  readonly live: boolean;
}

/**
 * Lays a history out as a graph of lanes, newest first, `now` at the top. The path from the root to now has lane 0;
 * every other branch takes the first free lane and frees it at its start. `newestFirst` lists every child before
 * its parent. Linear in snapshots times open branches.
 */
export function layoutLanes(newestFirst: readonly LaneNode[], head: SnapshotId): LaneRow[] {
  const known = new Set(newestFirst.map((node) => node.id));
  const lanes: (Lane | undefined)[] = [{ awaits: head, live: true }];
  const rows: LaneRow[] = [
    { id: 'now', lane: 0, live: true, edges: [{ type: 'below', lane: 0, live: true }] },
  ];
  for (const node of newestFirst) rows.push(placeNode(node, lanes, known));
  return rows;
}

function placeNode(node: LaneNode, lanes: (Lane | undefined)[], known: ReadonlySet<SnapshotId>): LaneRow {
  const arriving = lanes.flatMap((lane, index) => (lane?.awaits === node.id ? [index] : []));
  const live = arriving.some((index) => lanes[index]?.live === true);
  const lane = arriving[0] ?? freeLane(lanes);
  const edges: LaneEdge[] = [];
  lanes.forEach((open, index) => {
    if (open === undefined) return;
    const type = open.awaits === node.id ? 'above' : 'through';
    edges.push({ type, lane: index, live: open.live });
  });
  for (const index of arriving) lanes[index] = undefined;
  const parents = node.parents.filter((parent) => known.has(parent));
  parents.forEach((parent, order) => {
    const isLive = live && order === 0;
    const index = order === 0 ? lane : freeLane(lanes);
    lanes[index] = { awaits: parent, live: isLive };
    edges.push({ type: 'below', lane: index, live: isLive });
  });
  return { id: node.id, lane, live, edges };
}

/** Lane 0 is reserved for the path to now, also before its first node and after its last. */
function freeLane(lanes: readonly (Lane | undefined)[]): number {
  for (let index = 1; index < lanes.length; index++) if (lanes[index] === undefined) return index;
  return Math.max(1, lanes.length);
}
