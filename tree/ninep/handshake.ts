import { errno } from '../live/errno.ts';
import { ninePLimits } from './limits.ts';
import type { Session } from './session.ts';

const dialect = '9P2000.L';
const noFid = 0xffff_ffff;

/** "nobody" (V9FS_DEFUSER): the user of an attach that names none. */
const nobody = 65_534;

/** Tversion: agrees on message size and dialect, and ends whatever session there was. */
export function version(session: Session): number {
  const { request, reply } = session;
  const messageBytes = request.u32();
  const offered = request.text();
  if (!request.complete) return -errno.EPROTO;
  if (messageBytes < ninePLimits.minimumMessageBytes) return -errno.EINVAL;
  session.reset();
  session.messageBytes = Math.min(messageBytes, ninePLimits.messageBytes);
  reply.u32(session.messageBytes);
  reply.text(offered === dialect ? dialect : 'unknown');
  return 0;
}

/**
 * Tauth: no authentication is needed. Any error says so (attach(5) of Plan 9), but diod's client continues with
 * attach only after ENOENT. Linux never sends it.
 */
export function auth(): number {
  return -errno.ENOENT;
}

/** Tattach: a fid on the root. Linux attaches once for the mount and once for each user that accesses it. */
export function attach(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const authFid = request.u32();
  request.text(); // uname: Linux sends the number for every user but the mount's own
  const subtree = request.text();
  const uid = request.u32();
  if (!request.complete) return -errno.EPROTO;
  if (authFid !== noFid || fids.has(number)) return -errno.EINVAL;
  if (subtree !== '' && subtree !== '/') return -errno.ENOENT;
  const root = tree.stat(tree.root);
  if (root === undefined) return -errno.ENOENT;
  const fid = fids.add(number, tree.root, uid === noFid ? nobody : uid);
  if (fid === undefined) return -errno.ENOMEM;
  reply.qid(root);
  return 0;
}

/** Tflush: the request it names was answered before this one was read. */
export function flush(session: Session): number {
  session.request.u16();
  return session.request.complete ? 0 : -errno.EPROTO;
}
