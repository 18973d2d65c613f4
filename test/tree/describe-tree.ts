import { readByteString } from '../../tree/content/byte-string.ts';
import type { FileTree, Ino } from '../../tree/live/file-tree.ts';
import type { PlainModel, PlainNode } from './plain-model.ts';

/** One path with all that a user can see of it; two names of a file share `file`. */
export interface Described {
  path: string;
  mode: number;
  uid: number;
  gid: number;
  mtime: number;
  nlink: number;
  target: string;
  content: string;
  xattrs: [string, string][];
  /** The first path of the same inode. */
  file: string;
}

/** Everything in a tree, sorted by path. Content is given as its length and bytes. */
export function describeTree(tree: FileTree): Described[] {
  const found: Described[] = [];
  const first = new Map<Ino, string>();
  const walk = (ino: Ino, path: string): void => {
    const inode = tree.stat(ino);
    if (inode === undefined) throw new Error(`${path} has no inode`);
    const isFile = (inode.mode & 0o170000) === 0o100000;
    const bytes = new Uint8Array(isFile ? inode.sizeBytes : 0);
    if (isFile && tree.read(ino, 0, bytes) !== bytes.length) throw new Error(`${path} cannot be read`);
    if (!first.has(ino)) first.set(ino, path);
    found.push({
      path,
      mode: inode.mode,
      uid: inode.uid,
      gid: inode.gid,
      mtime: inode.mtimeSeconds,
      nlink: inode.nlink,
      target: inode.target ?? '',
      content: summary(bytes),
      xattrs: [...tree.listXattrs(ino)]
        .sort()
        .map((name) => [name, text(tree.getXattr(ino, name) ?? new Uint8Array(0))]),
      file: first.get(ino) ?? path,
    });
    const children: [string, Ino][] = [];
    tree.readdir(ino, 0, (name, child) => Boolean(children.push([name, child])));
    children.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    for (const [name, child] of children) walk(child, `${path}/${name}`);
  };
  walk(tree.root, '');
  return found;
}

/** The same of the model. */
export function describeModel(model: PlainModel): Described[] {
  const found: Described[] = [];
  const first = new Map<PlainNode, string>();
  const walk = (node: PlainNode, path: string): void => {
    const directories = [...node.children.values()].filter((child) => (child.mode & 0o170000) === 0o040000);
    if (!first.has(node)) first.set(node, path);
    found.push({
      path,
      mode: node.mode,
      uid: node.uid,
      gid: node.gid,
      mtime: node.mtime,
      nlink: (node.mode & 0o170000) === 0o040000 ? 2 + directories.length : model.links(node),
      target: node.target,
      content: summary(node.data),
      xattrs: [...node.xattrs].sort((a, b) => (a[0] < b[0] ? -1 : 1)),
      file: first.get(node) ?? path,
    });
    for (const name of [...node.children.keys()].sort()) {
      const child = node.children.get(name);
      if (child) walk(child, `${path}/${name}`);
    }
  };
  walk(model.root, '');
  return found;
}

/** Length and a rolling checksum: equal for equal bytes, and short enough to read in a failure. */
function summary(bytes: Uint8Array): string {
  let sum = 0;
  for (let index = 0; index < bytes.length; index++) sum = (Math.imul(sum, 31) + (bytes[index] ?? 0)) | 0;
  return `${bytes.length}:${sum >>> 0}`;
}

function text(bytes: Uint8Array): string {
  return readByteString(bytes, 0, bytes.length);
}
