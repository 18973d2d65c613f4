import { toDisplayText } from '../../tree/content/byte-string.ts';
import { isFile } from '../../tree/live/file-mode.ts';
import type { RootWriter } from './root-writer.ts';

const template = '/etc/skel';
const home = '/home/user';
const owner = { uid: 1000, gid: 1000 } as const;

/**
 * The user's home from the template, as init makes it in an image without one: that it is part of
 * the image keeps the first start from changing anything.
 */
export function makeHome(root: RootWriter): void {
  const directory = root.find(template);
  if (!directory) return;
  root.directory(home, { ...owner, permissions: 0o755 });
  root.tree.readdir(directory, 0, (name, ino) => {
    const inode = root.tree.stat(ino);
    const path = `${template}/${toDisplayText(name)}`;
    const content = inode && isFile(inode.mode) ? root.readBytes(path) : undefined;
    if (inode && content) {
      root.file(`${home}/${toDisplayText(name)}`, content, { ...owner, permissions: inode.mode & 0o7777 });
    }
    return true;
  });
}
