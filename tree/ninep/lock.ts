import { errno } from '../live/errno.ts';
import type { ByteRangeLock } from './byte-range-locks.ts';
import { ninePLimits } from './limits.ts';
import type { Session } from './session.ts';

/** P9_LOCK_TYPE_*. */
const lockType = { read: 0, write: 1, unlock: 2 } as const;

/** P9_LOCK_*: Linux turns `blocked` into EAGAIN or asks again later, and `error` into ENOLCK. */
const lockStatus = { success: 0, blocked: 1, error: 2 } as const;

/** P9_LOCK_FLAGS_BLOCK and P9_LOCK_FLAGS_RECLAIM. */
const knownFlags = 3;

/** Tlock: takes or gives up a byte range. Nobody waits in here: a client that wants to wait asks again. */
export function lock(session: Session): number {
  const { request, reply, fids, locks } = session;
  const number = request.u32();
  const type = request.u8();
  const flags = request.u32();
  const range = readRange(session, { number, exclusive: type === lockType.write });
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined || !fid.isOpen) return -errno.EBADF;
  if (type > lockType.unlock || flags & ~knownFlags || !isRange(range)) return -errno.EINVAL;
  if (type === lockType.unlock) {
    reply.u8(locks.release(fid.ino, range) ? lockStatus.success : lockStatus.error);
  } else if (locks.conflict(fid.ino, range) !== undefined) {
    reply.u8(lockStatus.blocked);
  } else {
    reply.u8(locks.acquire(fid.ino, range) ? lockStatus.success : lockStatus.error);
  }
  return 0;
}

/**
 * Tgetlock: who holds a lock that would be in the way, or the same range with type unlock for
 * nobody. Linux 6.1 always asks with type unlock, which nothing is in the way of.
 */
export function getlock(session: Session): number {
  const { request, reply, fids, locks } = session;
  const number = request.u32();
  const type = request.u8();
  const range = readRange(session, { number, exclusive: type === lockType.write });
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined || !fid.isOpen) return -errno.EBADF;
  if (type > lockType.unlock || !isRange(range)) return -errno.EINVAL;
  const held = type === lockType.unlock ? undefined : locks.conflict(fid.ino, range);
  const shown = held ?? range;
  reply.u8(heldType(held));
  reply.u64(shown.start);
  reply.u64(shown.end === Number.POSITIVE_INFINITY ? 0 : shown.end - shown.start);
  reply.u32(shown.processId);
  reply.text(shown.clientId);
  return 0;
}

function readRange(session: Session, asked: { number: number; exclusive: boolean }): ByteRangeLock {
  const { request } = session;
  const start = request.u64();
  const length = request.u64();
  const processId = request.u32();
  const clientId = request.text();
  const end = start + length;
  // No length means to the end of the file, wherever that will be; so does more than any file has.
  const bounded = length > 0 && Number.isSafeInteger(end);
  return {
    start,
    end: bounded ? end : Number.POSITIVE_INFINITY,
    exclusive: asked.exclusive,
    clientId,
    processId,
    fid: asked.number,
  };
}

function isRange(range: ByteRangeLock): boolean {
  return Number.isSafeInteger(range.start) && range.clientId.length <= ninePLimits.lockClientIdBytes;
}

function heldType(held: ByteRangeLock | undefined): number {
  if (held === undefined) return lockType.unlock;
  return held.exclusive ? lockType.write : lockType.read;
}
