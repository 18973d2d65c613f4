import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { SandboxState } from '../local-sandbox-parts.ts';
import type { SandboxMachine } from '../machine/sandbox-machine.ts';
import type { Capturer } from './capturer.ts';

export interface CheckOutParts extends Pick<SandboxState, 'snapshotter'> {
  readonly machine: SandboxMachine;
  readonly capturer: Pick<Capturer, 'capture'>;
  /** The snapshot that is left as it is; what has changed since it is captured where this is absent. */
  readonly previousHead: SnapshotId | undefined;
  /** What is captured has to be this, if it is given. */
  readonly expected?: SnapshotId | undefined;
  /** How the machine goes on from what the snapshot has of its memory; `undefined` where it has none. */
  readonly prepare: (id: SnapshotId) => (() => Promise<void>) | undefined;
  /** Told once what is left is captured, while the machine still runs as it was. */
  readonly leaving: () => void;
  /** HEAD, or where a reader stands who may not move it, comes to `id`. */
  readonly moveTo: (id: SnapshotId) => Promise<void>;
  /** Told where it stands once the files are those of `id`, or could not be. */
  readonly arrived: (at: SnapshotId) => void;
}

/** What a checkout has left. */
interface LeftState {
  readonly previousHead: SnapshotId;
  /** Why not all of it is in that snapshot. */
  readonly unkept: SandboxError | undefined;
}

/** Files were changed after a snapshot was taken to go on from; nothing was done. */
export class ChangedSince extends SandboxError {
  constructor() {
    super('conflict', 'Files are being changed. Nothing was done; do it again once nobody writes there');
  }
}

/**
 * Puts the files at a snapshot, and the machine where it has that too; otherwise every process ends (H-5). All of it is
 * read before anything is given up. Answers what was left. Where the machine refuses, HEAD is again what was left. @throws missing-object, corrupt-object, storage-full, machine-failed
 */
export async function checkOut(id: SnapshotId, parts: CheckOutParts): Promise<LeftState> {
  const { snapshotter, machine, capturer } = parts;
  await snapshotter.prepare(id);
  const goOn = parts.prepare(id);
  // A guest that hangs has no more time than its processes get to die.
  const timeoutMs = limits.remountTimeoutMs;
  let unkept: SandboxError | undefined;
  const syncing = machine.sync({ timeoutMs, isPublished: parts.previousHead === undefined });
  const obeys = await syncing.catch((cause) => {
    // What is given up need not be read.
    if (parts.previousHead === undefined) unkept = pastDiskLimit(cause, machine);
    return false;
  });
  const previousHead = parts.previousHead ?? (await capturer.capture({ unkept })).id;
  if (parts.expected !== undefined && previousHead !== parts.expected) throw new ChangedSince();
  parts.leaving();
  // Where files are the machine's own, a start puts them at HEAD; elsewhere HEAD never names what is not there.
  if (!machine.mayRefuse) await parts.moveTo(id);
  const endAt = (snapshot: SnapshotId) => ({ id: snapshot, tree: snapshotter.load(snapshot).id });
  const move = machine.mayRefuse && {
    between: { from: endAt(previousHead), to: endAt(id) },
    moveHead: () => parts.moveTo(id),
  };
  let at = id;
  try {
    if (goOn) await goOn();
    else await machine.replaceFiles(() => snapshotter.restore(id), { obeys, ...(move ? { move } : {}) });
  } catch (error) {
    if (machine.mayRefuse) {
      snapshotter.restore(previousHead);
      await parts.moveTo(previousHead);
      at = previousHead;
    }
    throw error;
  } finally {
    parts.arrived(at);
  }
  return { previousHead, unkept };
}

/**
 * Why the tree has no room for all that the machine has written: going back is what helps, and what there was room for is
 * in it. Files that are somebody's folder stay where they are. @throws anything else
 */
export function pastDiskLimit(cause: unknown, { mayRefuse = false }: SandboxMachine): SandboxError {
  const error = SandboxError.from(cause);
  if (error.code === 'storage-full' && !mayRefuse) return error;
  throw error;
}
