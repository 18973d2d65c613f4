import { SandboxError } from '../../protocol/errors.ts';
import { isSnapshotId } from '../../protocol/resolve-snapshot.ts';
import { snapshotIdFrom, snapshotPrefix } from '../../tree/history/history-refs.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';

export interface SnapshotHolder {
  readonly sandbox: string;
  readonly snapshot: SnapshotId;
}

/**
 * The first of `sandboxes` that has the snapshot with this id, or the only id that begins so. A store that cannot be
 * opened is passed over. @throws not-found; conflict when several ids begin so
 */
export async function findSnapshotHolder(
  reference: string,
  {
    sandboxes,
    openStore,
  }: { readonly sandboxes: readonly string[]; readonly openStore: (id: string) => Promise<SandboxStore> },
): Promise<SnapshotHolder> {
  const found = new Map<SnapshotId, string>();
  for (const sandbox of sandboxes) {
    for (const snapshot of await snapshotsOf(sandbox, openStore)) {
      if (snapshot === reference) return { sandbox, snapshot };
      if (snapshot.startsWith(reference) && !found.has(snapshot)) found.set(snapshot, sandbox);
    }
  }
  const [only, ...more] = isSnapshotId(reference) ? [] : found;
  const details = { reference };
  if (only === undefined) {
    throw new SandboxError('not-found', `Cannot find snapshot "${reference}": no sandbox has it`, {
      details,
    });
  }
  if (more.length > 0) {
    const why = `${more.length + 1} snapshots begin with it`;
    throw new SandboxError('conflict', `Cannot find snapshot "${reference}": ${why}`, { details });
  }
  return { snapshot: only[0], sandbox: only[1] };
}

async function snapshotsOf(
  sandbox: string,
  openStore: (id: string) => Promise<SandboxStore>,
): Promise<readonly SnapshotId[]> {
  const store = await openStore(sandbox).catch(() => undefined);
  if (!store) return [];
  try {
    return [...store.refs(snapshotPrefix)].flatMap(
      ([name]) => snapshotIdFrom(name.slice(snapshotPrefix.length)) ?? [],
    );
  } finally {
    await store.close();
  }
}
