import type { Change, SandboxConnection, TreeRef } from '../../../protocol/sandbox.ts';
import type { Comparison } from '../model/pick-comparison.ts';

/** Both versions of one changed file; a side that does not have it is `undefined`. */
export interface FileVersions {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** The files that differ, by path. A root has nothing before it and lists nothing. */
export async function readChanges(connection: SandboxConnection, compared: Comparison): Promise<Change[]> {
  if (compared.from === undefined) return [];
  const changes = await connection.diff(compared.from, compared.to);
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads both versions of a file that `readChanges` listed. */
export async function readVersions(
  connection: SandboxConnection,
  change: Change,
  compared: Comparison,
): Promise<FileVersions> {
  const { type, path, from = path } = change;
  const [before, after] = await Promise.all([
    type === 'created' ? undefined : readSide(connection, from, compared.from),
    type === 'deleted' ? undefined : readSide(connection, path, compared.to),
  ]);
  return { before, after };
}

function readSide(
  connection: SandboxConnection,
  path: string,
  at: TreeRef | undefined,
): Promise<Uint8Array | undefined> {
  return at === undefined ? Promise.resolve(undefined) : connection.readFile(path, at);
}
