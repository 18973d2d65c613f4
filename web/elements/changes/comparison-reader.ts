import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { Comparison } from '../model/pick-comparison.ts';
import { compareSandboxes } from './compare-sandboxes.ts';

/** Both versions of one changed file; `undefined` on a side without the file. */
export interface FileVersions {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** The files that differ, by path. The first snapshot is compared with nothing, and lists nothing. */
export async function readChanges(connection: SandboxConnection, compared: Comparison): Promise<Change[]> {
  const { from, to, beside } = compared;
  if (from === undefined) return [];
  if (beside !== undefined) {
    return compareSandboxes({ connection: connectionOf(beside), at: from }, { connection, at: to });
  }
  const changes = await connection.history.diff({ from, to });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads both versions of a file that `readChanges` listed. */
export async function readVersions(
  connection: SandboxConnection,
  change: Change,
  compared: Comparison,
): Promise<FileVersions> {
  const { type, path, from = path } = change;
  const { beside } = compared;
  const other = beside === undefined ? connection : connectionOf(beside);
  const [before, after] = await Promise.all([
    type === 'created' ? undefined : readSide(other, from, compared.from),
    type === 'deleted' ? undefined : readSide(connection, path, compared.to),
  ]);
  return { before, after };
}

function connectionOf(beside: NonNullable<Comparison['beside']>): SandboxConnection {
  if (beside.connection !== undefined) return beside.connection;
  throw new SandboxError('connection-lost', 'Cannot compare with the other pane: its sandbox is not open');
}

function readSide(
  connection: SandboxConnection,
  path: string,
  at: TreeRef | undefined,
): Promise<Uint8Array | undefined> {
  return at === undefined ? Promise.resolve(undefined) : connection.files.read({ path, at });
}
