import type { ByteString } from '../content/byte-string.ts';
import { errno } from '../live/errno.ts';
import { isDirectory } from '../live/file-mode.ts';
import type { FileTree, Ino, InodeView } from '../live/file-tree.ts';
import type { ReplyWriter } from './reply-writer.ts';
import type { Handler, Session } from './session.ts';

/** qid[13] offset[8] type[1] and the length of the name. */
const entryBytes = 24;

/**
 * Offsets as the client sees them: 0 is the start, 1 is behind `.`, 2 behind `..`, and the tree's
 * cookies follow. Small cookies stay small, which old 32-bit programs need.
 */
const firstCookie = 2;

/** Writes directory entries into a reply until it is full. One serves all requests, so that no closure is made for each. */
class DirectoryLister {
  #tree: FileTree | undefined;
  #reply: ReplyWriter | undefined;
  #end = 0;
  /** Whether an entry was left out for want of room. */
  full = false;

  begin(session: Session, end: number): void {
    this.#tree = session.tree;
    this.#reply = session.reply;
    this.#end = end;
    this.full = false;
  }

  /** Called by the tree, once for each entry. */
  readonly visit = (name: ByteString, ino: Ino, nextCookie: number): boolean => {
    const inode = this.#tree?.stat(ino);
    return inode === undefined || this.add(name, inode, nextCookie + firstCookie);
  };

  /** `false` when there is no room for the entry. */
  add(name: ByteString, inode: InodeView, nextOffset: number): boolean {
    const reply = this.#reply;
    if (reply === undefined || reply.at + entryBytes + name.length > this.#end) {
      this.full = true;
      return false;
    }
    reply.qid(inode);
    reply.u64(nextOffset);
    reply.u8((inode.mode >>> 12) & 0xf); // DT_* are the S_IFMT bits
    reply.text(name);
    return true;
  }
}

/** Treaddir, with a lister of its own. */
export function createReaddir(): Handler {
  const lister = new DirectoryLister();
  return (session) => readdir(session, lister);
}

/** As many entries from `offset` on as fit. None at all means that there are no more. */
function readdir(session: Session, lister: DirectoryLister): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const offset = request.u64();
  const wanted = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined || !fid.isOpen) return -errno.EBADF;
  if (!Number.isSafeInteger(offset)) return -errno.EINVAL;
  const directory = tree.stat(fid.ino);
  if (directory === undefined) return -errno.ENOENT;
  if (!isDirectory(directory.mode)) return -errno.ENOTDIR;

  const countAt = reply.at;
  const start = countAt + 4;
  reply.u32(0);
  lister.begin(session, start + Math.min(wanted, session.payloadBytes));
  const parent = tree.stat(directory.parent) ?? directory;
  const dots =
    (offset > 0 || lister.add('.', directory, 1)) && (offset > 1 || lister.add('..', parent, firstCookie));
  if (dots) {
    const result = tree.readdir(fid.ino, Math.max(0, offset - firstCookie), lister.visit);
    if (result < 0) return result;
  }
  // An empty reply would be taken for the end.
  if (lister.full && reply.at === start) return -errno.EINVAL;
  reply.patchU32(countAt, reply.at - start);
  return 0;
}
