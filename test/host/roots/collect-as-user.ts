import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { RootLab } from './root-lab.ts';

/**
 * Run as an ordinary user, with a scanner and an unpacker as its arguments: makes a copy of a tree whose owners and
 * devices it cannot have, changes it, and prints what came of it.
 */
const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 123_456_789 }) });
const directory = tree.create(tree.root, 'directory', { mode: 0o040755, uid: 33, gid: 34 });
const file = tree.create(directory, 'file', { mode: 0o100644, uid: 35, gid: 36 });
tree.write(file, 0, new Uint8Array(100_000).fill(1));
tree.setXattr(file, 'user.x', new Uint8Array([1]));
tree.setXattr(file, 'security.capability', new Uint8Array([1, 0, 0, 2, ...new Array(16).fill(3)]));
tree.create(tree.root, 'null', { mode: 0o020666, uid: 0, gid: 0, rdev: (1 << 8) | 3 });

const [scanner = '', unpacker = ''] = process.argv.slice(2);
await using lab = await RootLab.open('copy', { scanner, unpacker });
const id = lab.seal(tree);
await using made = await lab.make(id, id);
const counts = [await made.root.collect(made.tree)];
const isSame = made.seal() === id;
chmodSync(join(made.path, 'directory', 'file'), 0o600);
counts.push(await made.root.collect(made.tree));
tree.setAttributes(file, { permissions: 0o600 });
const keepsOwner = made.seal() === lab.seal(tree);
mkdirSync(join(made.path, 'new'));
writeFileSync(join(made.path, 'new', 'closed'), 'some');
chmodSync(join(made.path, 'new', 'closed'), 0);
mkdirSync(join(made.path, 'shut'));
writeFileSync(join(made.path, 'shut', 'inside'), 'some');
chmodSync(join(made.path, 'shut'), 0);
renameSync(join(made.path, 'directory', 'file'), join(made.path, 'new', 'file'));
rmSync(join(made.path, 'directory'), { recursive: true });
counts.push(await made.root.collect(made.tree));
const owner = made.tree.stat(made.tree.lookup(made.tree.root, 'new'))?.uid;
const read = ['new/closed', 'shut/inside'].map((path) => readText(made.tree, path));
console.log(JSON.stringify({ counts, isSame, keepsOwner, owner, read, gaps: lab.maker.gaps.length }));

function readText(from: LiveTree, path: string): string {
  const ino = path.split('/').reduce((at, name) => from.lookup(at, name), from.root);
  const bytes = new Uint8Array(10);
  return Buffer.from(bytes.subarray(0, from.read(ino, 0, bytes))).toString();
}
