import type { ByteString } from '../content/byte-string.ts';
import type { Ino } from '../live/file-tree.ts';
import type { ByteRangeLock } from './byte-range-locks.ts';
import { notOpen } from './fid-table.ts';
import { ninePLimits } from './limits.ts';
import { assertRenumbering, type Renumbering } from './renumbering.ts';
import type { Session } from './session.ts';
import type { XattrHandle } from './xattr-handle.ts';

/**
 * A session as a value: part of every checkpoint, since a restored guest continues to use its fids. Can be cloned
 * and stored; shares nothing with the server. It has few large members rather than many small objects, so that a
 * checkpoint with tens of thousands of fids is quick.
 */
export interface NinePState {
  readonly version: 1;
  readonly messageBytes: number;
  /** For each fid its number, inode, uid, open flags (-1 while it is not open) and parent directory (0: not known). */
  readonly fids: Float64Array;
  /** For each fid the name it was reached by. */
  readonly names: readonly ByteString[];
  readonly xattrs: readonly { readonly fid: number; readonly handle: XattrHandle }[];
  readonly locks: readonly { readonly ino: Ino; readonly lock: ByteRangeLock }[];
  /** Inodes that the client knows by other numbers than the tree. */
  readonly renumbered: Renumbering;
}

const columns = 5;

/** One fid of a saved session. */
export interface SavedFid {
  readonly fid: number;
  readonly ino: Ino;
  readonly uid: number;
  /** Open flags; -1 while it is not open. */
  readonly flags: number;
}

/** The fids of a saved session, to inspect them or to move them to another tree. */
export function listFids({ fids }: NinePState): SavedFid[] {
  return Array.from({ length: fids.length / columns }, (_, index) => {
    const [fid = 0, ino = 0, uid = 0, flags = notOpen] = fids.subarray(
      index * columns,
      (index + 1) * columns,
    );
    return { fid, ino, uid, flags };
  });
}

/** A session with these fids, whose names are unknown, and nothing else. */
export function stateOfFids(
  list: readonly SavedFid[],
  { messageBytes, renumbered }: Pick<NinePState, 'messageBytes' | 'renumbered'>,
): NinePState {
  const fids = Float64Array.from(list.flatMap(({ fid, ino, uid, flags }) => [fid, ino, uid, flags, 0]));
  const names = list.map(() => '');
  return { version: 1, messageBytes, fids, names, xattrs: [], locks: [], renumbered };
}

/** Copies the state of `session`. */
export function saveSession(session: Session): NinePState {
  const { fids, locks } = session;
  const numbers = new Float64Array(fids.size * columns);
  const names: ByteString[] = [];
  const xattrs: NinePState['xattrs'][number][] = [];
  let at = 0;
  for (const fid of fids.values()) {
    numbers[at] = fid.number;
    numbers[at + 1] = fid.ino;
    numbers[at + 2] = fid.uid;
    numbers[at + 3] = fid.flags;
    numbers[at + 4] = fid.parent;
    at += columns;
    names.push(fid.name);
    if (fid.xattr !== undefined) xattrs.push({ fid: fid.number, handle: copy(fid.xattr) });
  }
  return {
    version: 1,
    messageBytes: session.messageBytes,
    fids: numbers,
    names,
    xattrs,
    locks: Array.from(locks.entries(), ([ino, lock]) => ({ ino, lock: { ...lock } })),
    renumbered: session.renumbered,
  };
}

/**
 * Replaces the state of `session`, and retains its inodes.
 * @throws RangeError when the state is of another version, or its parts do not fit together
 */
export function restoreSession(session: Session, state: NinePState): void {
  const { fids, locks } = session;
  check(state);
  session.abandon();
  session.messageBytes = state.messageBytes;
  session.renumbered = state.renumbered;
  const numbers = state.fids;
  state.names.forEach((name, index) => {
    const at = index * columns;
    const fid = fids.add(numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] ?? 0);
    if (fid === undefined) return;
    fid.flags = numbers[at + 3] ?? notOpen;
    fid.parent = numbers[at + 4] ?? 0;
    fid.name = name;
  });
  for (const { fid: number, handle } of state.xattrs) {
    const fid = fids.get(number);
    if (fid === undefined) continue;
    fid.xattr = copy(handle);
    session.xattrBytesHeld += handle.bytes.length;
  }
  for (const { ino, lock } of state.locks) locks.restore(ino, lock);
}

function copy(handle: XattrHandle): XattrHandle {
  return { ...handle, bytes: handle.bytes.slice() };
}

function check(state: NinePState): void {
  if (state.version !== 1) {
    throw new RangeError(`Cannot restore 9P state: version ${String(state.version)} is unknown`);
  }
  assertRenumbering(state.renumbered);
  const count = state.names.length;
  if (state.fids.length !== count * columns || count > ninePLimits.fids) {
    throw new RangeError(`Cannot restore 9P state: ${state.fids.length} numbers do not make ${count} fids`);
  }
}
