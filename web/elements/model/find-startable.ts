import type { FilesFacet } from '../../../protocol/sandbox/files.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { loginShell } from '../../../protocol/sandbox/processes.ts';
import { historyRows } from './history-rows.ts';
import type { SandboxState } from './sandbox-state.ts';

/**
 * Files without which no shell starts, if the image has them: bash, its loader and the C library, on i386 and
 * amd64.
 */
const needed: readonly string[] = [
  ...loginShell.slice(0, 1),
  '/lib/ld-linux.so.2',
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/i386-linux-gnu/libc.so.6',
  '/lib/x86_64-linux-gnu/libc.so.6',
];
/** Rows that are checked, newest first. */
const mostRows = 64;

/** Why no shell starts now, and the last state in which one did. */
export interface Startable {
  /** Files of the image that this state lacks; empty if the cause is another. */
  readonly missing: readonly string[];
  /** The first row without them. */
  readonly since: SnapshotInfo | undefined;
  /** The last row before that; if nothing is missing, the one before HEAD. */
  readonly last: SnapshotInfo | undefined;
}

/** Searches the history for the last state in which a shell can start. Rejects as `files.stat` does. */
export async function findStartable(
  connection: { readonly files: Pick<FilesFacet, 'stat'> },
  state: SandboxState,
): Promise<Startable> {
  const line = lineOf(state);
  const root = line.at(-1);
  if (root === undefined) return { missing: [], since: undefined, last: undefined };
  const has = (path: string, at: SnapshotInfo | undefined): Promise<boolean> =>
    connection.files.stat({ path, at: at?.id ?? 'now' }).then(
      () => true,
      () => false,
    );
  const missing: string[] = [];
  for (const path of needed) if ((await has(path, root)) && !(await has(path, undefined))) missing.push(path);
  if (missing.length === 0) return { missing, since: undefined, last: line[1] };
  let since: SnapshotInfo | undefined;
  for (const snapshot of line.slice(0, mostRows)) {
    const isThere = await Promise.all(missing.map((path) => has(path, snapshot)));
    if (isThere.every(Boolean)) return { missing, since, last: snapshot };
    since = snapshot;
  }
  return { missing, since, last: root };
}

/** The rows from HEAD to the root, without the steps of a command: a step may be half of what it did. */
function lineOf(state: SandboxState): SnapshotInfo[] {
  const rows = historyRows({ ...state, selected: 'now', opened: new Set(), search: '', filter: 'all' });
  const byId = new Map(rows.map((row) => [row.snapshot.id, row]));
  const line: SnapshotInfo[] = [];
  let at = state.history && byId.get(state.history.head);
  while (at !== undefined && line.length <= rows.length) {
    line.push(at.snapshot);
    const [parent] = at.parents;
    at = parent === undefined ? undefined : byId.get(parent);
  }
  return line;
}
