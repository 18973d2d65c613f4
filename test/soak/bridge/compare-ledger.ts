import { SandboxError } from '../../../protocol/errors.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { type BridgeRound, type BridgeSoakFound, countIn } from './bridge-round.ts';
import { type LedgerEntry, notedFile } from './ledger.ts';

/**
 * Compares what a bridge has with the ledger: so many files of each sandbox, of the newest snapshots first. On a full
 * disk a sandbox may be refused; it is compared when there is room.
 */
export async function compareLedger(
  round: BridgeRound,
  { mostFiles, isFull }: { readonly mostFiles: number; readonly isFull: boolean },
): Promise<void> {
  const { backend, ledger, found } = round;
  const ids = new Set((await backend.list()).map(({ id }) => id));
  for (const id of ledger.deleted) if (ids.has(id)) found.lost.push(`the deletion of sandbox ${id}`);
  for (const entry of ledger.sandboxes.values()) {
    if (!ids.has(entry.id)) {
      found.lost.push(`sandbox ${entry.id}`);
      continue;
    }
    try {
      await compareSandbox(entry, { round, mostFiles });
    } catch (cause) {
      const { code, message } = SandboxError.from(cause);
      if (code === 'storage-full' && isFull) countIn(found.refusals, code);
      else found.lost.push(`sandbox ${entry.id}, which cannot be read: ${code}: ${message}`);
    }
  }
}

async function compareSandbox(
  entry: LedgerEntry,
  { round: { backend, found }, mostFiles }: { readonly round: BridgeRound; readonly mostFiles: number },
): Promise<void> {
  const sandbox = await Sandbox.open(entry.id, { backend });
  try {
    const known = new Set((await sandbox.history.log()).map(({ id }) => id));
    for (const id of entry.snapshots.keys()) {
      if (!known.has(id)) found.lost.push(`snapshot ${id} of ${entry.id}`);
    }
    await compareClosed(entry, { sandbox, found });
    for (const [id, { path, digest }] of [...entry.snapshots].reverse().slice(0, mostFiles)) {
      const read = notedFile(path, await sandbox.files.read(path, { at: id, format: 'bytes' }));
      found.compared++;
      if (read.digest !== digest) found.lost.push(`${path} in snapshot ${id} of ${entry.id}`);
    }
  } finally {
    await sandbox.close();
  }
}

/** Compares the file that a sandbox was closed with, if it was. */
export async function compareClosed(
  { id, closedWith }: LedgerEntry,
  { sandbox, found }: { readonly sandbox: Sandbox; readonly found: BridgeSoakFound },
): Promise<void> {
  if (!closedWith) return;
  const { path, digest } = closedWith;
  const read = notedFile(path, await sandbox.files.read(path, { format: 'bytes' }));
  found.compared++;
  if (read.digest !== digest) found.lost.push(`${path}, with which ${id} was closed`);
}
