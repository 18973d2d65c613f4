import { isFile } from '../../tree/live/file-mode.ts';
import type { FileTree } from '../../tree/live/file-tree.ts';
import { resolvePath } from '../../tree/live/resolve-path.ts';
import { user } from '../rootfs/effects/accounts.ts';

/** Lists of users and groups are small; one that is larger is left as it is. */
const maxListBytes = 1_048_576;

/**
 * Gives the user of a sandbox a name and a home, as images from here have it: a line in /etc/passwd and one in /etc/group. Does nothing
 * where there is no such list, or it has that name or that id already. It has no password: `*` and not `x`, so that `su` looks for none
 * in /etc/shadow.
 */
export function nameUser(tree: FileTree): void {
  const { name, id, home } = user;
  const shell = isThere(tree, user.shell) ? user.shell : '/bin/sh';
  appendUnlessKnown(tree, '/etc/passwd', `${name}:*:${id}:${id}:${name},,,:${home}:${shell}\n`);
  appendUnlessKnown(tree, '/etc/group', `${name}:x:${id}:\n`);
}

function appendUnlessKnown(tree: FileTree, path: string, line: string): void {
  const found = resolvePath(tree, path, { followLast: false });
  const stat = typeof found === 'number' ? undefined : tree.stat(found.ino);
  if (!stat || !isFile(stat.mode) || stat.sizeBytes > maxListBytes) return;
  const { ino, sizeBytes } = stat;
  const times = {
    mtime: { seconds: stat.mtimeSeconds, nanoseconds: stat.mtimeNanoseconds },
    ctime: { seconds: stat.ctimeSeconds, nanoseconds: stat.ctimeNanoseconds },
  };
  const bytes = new Uint8Array(sizeBytes);
  tree.read(ino, 0, bytes);
  const text = new TextDecoder().decode(bytes);
  const columns = text.split('\n').map((each) => each.split(':'));
  if (columns.some(([known, , number]) => known === user.name || number === String(user.id))) return;
  const begins = text === '' || text.endsWith('\n') ? '' : '\n';
  tree.write(ino, sizeBytes, new TextEncoder().encode(begins + line));
  tree.setAttributes(ino, times);
}

function isThere(tree: FileTree, path: string): boolean {
  const found = resolvePath(tree, path);
  return typeof found !== 'number' && found.ino !== 0;
}
