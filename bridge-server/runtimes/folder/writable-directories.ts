import { chmodSync, statSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { fileMode } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import { hostPath } from './folder-entry.ts';
import type { OpenFolder } from './open-folder.ts';

const ownersAll = 0o700;

/** Directories that not even their owner may change names in, as Go makes those of its modules: they can be written while the folder is. Root needs none. */
export class WritableDirectories {
  readonly #folder: OpenFolder;
  readonly #isRoot = process.getuid?.() === 0;
  /** The permissions that they have at the end. */
  readonly #permissions = new Map<ByteString, number>();

  constructor(folder: OpenFolder) {
    this.#folder = folder;
  }

  /** Of one that is not there, or is somebody else's, the step that needs it fails. */
  open(path: ByteString): void {
    const { at } = this.#folder.directory(path);
    if (this.#isRoot || at === undefined) return;
    const { mode, uid } = statSync(hostPath(at));
    if (uid !== process.getuid?.() || (mode & ownersAll) === ownersAll) return;
    this.#permissions.set(path, mode & fileMode.permissions);
    chmodSync(hostPath(at), (mode | ownersAll) & fileMode.permissions);
  }

  /** What to give a directory of `inode` for now: it has its own permissions at the end. */
  opened(path: ByteString, inode: InodeView): InodeView {
    if (this.#isRoot) return inode;
    this.#permissions.delete(path);
    if ((inode.mode & ownersAll) === ownersAll) return inode;
    this.#permissions.set(path, inode.mode & fileMode.permissions);
    return { ...inode, mode: inode.mode | ownersAll };
  }

  /** One that is gone, or is not this user's any more, stays as it is. */
  close(): void {
    // What is below can be reached only as long as those above are open.
    const paths = [...this.#permissions].sort(([one], [other]) => (one < other ? 1 : -1));
    for (const [path, permissions] of paths) {
      try {
        const { at } = this.#folder.directory(path);
        if (at !== undefined) chmodSync(hostPath(at), permissions);
      } catch {
        // The next snapshot has it as it is.
      }
    }
  }
}
