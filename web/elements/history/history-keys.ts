import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { LaneNode, LaneRow } from './layout-lanes.ts';

type RowId = LaneRow['id'];

/**
 * Where a key leads in the history tree, or `undefined` when it leads nowhere. Up and down go by
 * row; left goes to the parent, right to the newest child (ARIA APG, tree view).
 */
export function moveInHistory(
  key: string,
  options: {
    readonly rows: readonly LaneRow[];
    readonly newestFirst: readonly LaneNode[];
    readonly head: SnapshotId;
    readonly current: RowId;
    readonly pageRows: number;
  },
): RowId | undefined {
  const { rows, newestFirst, head, current, pageRows } = options;
  const index = rows.findIndex((row) => row.id === current);
  const at = (wanted: number): RowId | undefined => rows[Math.min(rows.length - 1, Math.max(0, wanted))]?.id;
  switch (key) {
    case 'ArrowDown':
      return at(index + 1);
    case 'ArrowUp':
      return at(index - 1);
    case 'PageDown':
      return at(index + pageRows);
    case 'PageUp':
      return at(index - pageRows);
    case 'Home':
      return at(0);
    case 'End':
      return at(rows.length - 1);
    case 'ArrowLeft':
      return current === 'now' ? head : newestFirst.find((node) => node.id === current)?.parents[0];
    case 'ArrowRight':
      return current === head ? 'now' : newestFirst.find((node) => node.parents[0] === current)?.id;
    default:
      return undefined;
  }
}
