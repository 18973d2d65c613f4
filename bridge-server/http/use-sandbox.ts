import { isSnapshotId, resolveSnapshot } from '../../protocol/resolve-snapshot.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { sees } from '../access/allow.ts';
import type { SnapshotHolder } from '../host-backend.ts';
import type { Grant } from '../token-contract.ts';
import type { Service } from './service.ts';

/** Does `work` with the sandbox, opened if it is not, and lets go of it. */
export async function useSandbox<T>(
  service: Pick<Service, 'sandboxes'>,
  { id, signal }: { id: string; signal: AbortSignal },
  work: (connection: SandboxConnection) => Promise<T>,
): Promise<T> {
  using lease = await service.sandboxes.borrow(id, { signal });
  return await work(lease.connection);
}

/** The snapshot that a client names. @throws not-found, conflict when several ids begin so */
export async function findSnapshot(sandbox: SandboxConnection, reference: string): Promise<SnapshotId> {
  return isSnapshotId(reference) ? reference : resolveSnapshot(await sandbox.history.get(), reference);
}

/** The tree that a client names: a snapshot, or `now`. @throws not-found, conflict */
export async function findTree(sandbox: SandboxConnection, reference: string): Promise<TreeRef> {
  return reference === 'now' ? reference : findSnapshot(sandbox, reference);
}

/** A snapshot that a client names without its sandbox, and one that has it and that the token sees. @throws not-found, conflict */
export function findHolder(
  { backend }: Pick<Service, 'backend'>,
  { owner, reference }: { readonly owner: Grant; readonly reference: string },
): Promise<SnapshotHolder> {
  return backend.findSnapshot(reference, { among: (id) => sees(owner, id) });
}
