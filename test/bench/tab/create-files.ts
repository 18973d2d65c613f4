import { fileMode } from '../../../tree/live/file-mode.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';

const filesPerDirectory = 100;
const directory = { mode: fileMode.directory | 0o755, uid: 0, gid: 0 };
const file = { mode: fileMode.file | 0o644, uid: 0, gid: 0 };

/** The names on the way from the root to a file. */
export type CreatedFile = readonly string[];

/** Adds files below a new directory `top`, a hundred to a directory; each holds `bytes` (default: none). */
export function createFiles(
  tree: LiveTree,
  options: { top: string; count: number; bytes?: Uint8Array },
): CreatedFile[] {
  const { top, count, bytes } = options;
  const files: CreatedFile[] = [];
  const topIno = made(tree.create(tree.root, top, directory));
  for (let n = 0, parent = topIno; n < count; n++) {
    const group = `d${Math.floor(n / filesPerDirectory)}`;
    if (n % filesPerDirectory === 0) parent = made(tree.create(topIno, group, directory));
    const name = `f${n}`;
    const ino = made(tree.create(parent, name, file));
    if (bytes) made(tree.write(ino, 0, bytes));
    files.push([top, group, name]);
  }
  return files;
}

function made(result: number): number {
  if (result < 0) throw new RangeError(`The tree answers errno ${-result}`);
  return result;
}
