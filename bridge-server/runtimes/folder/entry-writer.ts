import type { BigIntStats } from 'node:fs';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { treeLimits } from '../../../tree/limits.ts';
import { errno } from '../../../tree/live/errno.ts';
import { fileMode, isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { isSameTime, mtimeOf } from './folder-entry.ts';
import { tooMuch } from './read-content.ts';

interface NewEntry {
  readonly directory: Ino;
  readonly name: ByteString;
  readonly stat: BigIntStats;
  readonly target: ByteString;
}

/** Makes names and attributes of a tree those of a folder. */
export class EntryWriter {
  /** Changes of the tree. */
  changes = 0;
  readonly #tree: LiveTree;

  constructor(tree: LiveTree) {
    this.#tree = tree;
  }

  /** Without content. @throws limit-exceeded, storage-full */
  create(path: ByteString, { directory, name, stat, target }: NewEntry): Ino {
    const made = { mode: Number(stat.mode), uid: Number(stat.uid), gid: Number(stat.gid), target };
    this.changes += 1;
    const created = this.#tree.create(directory, name, made);
    if (created !== -errno.ENAMETOOLONG) return checkTree(created, 'a file');
    const shown = toDisplayText(path.slice(0, 200));
    throw tooMuch(
      `a path of more than ${treeLimits.pathBytes} bytes or ${treeLimits.depth} directories, /${shown}…`,
    );
  }

  setMetadata(ino: Ino, stat: BigIntStats): void {
    const inode = this.#tree.stat(ino);
    if (!inode) return;
    const [permissions, uid, gid] = [
      Number(stat.mode) & fileMode.permissions,
      Number(stat.uid),
      Number(stat.gid),
    ];
    const isOwn = inode.uid === uid && inode.gid === gid;
    const hasPermissions = isSymlink(inode.mode) || (inode.mode & fileMode.permissions) === permissions;
    // Directories change with each name in them: the names are what counts.
    const hasTime = isDirectory(inode.mode) || isSameTime(stat, inode);
    if (isOwn && hasPermissions && hasTime) return;
    const change = {
      ...(isOwn ? {} : { uid, gid }),
      ...(hasPermissions ? {} : { permissions }),
      ...(hasTime ? {} : { mtime: mtimeOf(stat) }),
    };
    this.changes += 1;
    checkTree(this.#tree.setAttributes(ino, change), 'metadata');
  }

  names(directory: Ino): [ByteString, Ino][] {
    const names: [ByteString, Ino][] = [];
    this.#tree.readdir(directory, 0, (name, ino) => Boolean(names.push([name, ino])));
    return names;
  }

  remove(directory: Ino, name: ByteString, ino: Ino): void {
    if (!isDirectory(this.#tree.stat(ino)?.mode ?? 0)) {
      checkTree(this.#tree.unlink(directory, name), 'a removal');
      return;
    }
    for (const [child, childIno] of this.names(ino)) this.remove(ino, child, childIno);
    checkTree(this.#tree.rmdir(directory, name), 'a removal');
  }
}
