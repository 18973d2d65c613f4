import { sha1 } from '@noble/hashes/legacy.js';
import { joinBytes } from '../../../tree/join-bytes.ts';
import { readIndex } from './read-index.ts';
import type { Repository } from './repository.ts';
import type { TreeFile } from './tree-changes.ts';

interface TreeRow extends TreeFile {
  readonly path: string;
}

/** A directory of the index, with the id of its tree. */
interface Directory {
  readonly directories: Map<string, Directory>;
  readonly files: Map<string, TreeRow>;
  oid: string;
}

const encoder = new TextEncoder();
const treeMode = 0o040000;

/** The tree that a commit of the index has. It is not written yet. */
export interface IndexTree {
  readonly oid: string;
  /** Whether it has other files than this tree, which another git may have written in another way. */
  differsFrom(tree: string): Promise<boolean>;
  /** Writes what this tree lacks of it. */
  write(tree: string): Promise<void>;
}

/** `undefined` where the index is of a kind that the library knows better. */
export async function indexTree(repository: Repository): Promise<IndexTree | undefined> {
  const index = await readIndex(repository);
  return index && treeOfFiles(repository, index);
}

/** The tree of some files. */
export function treeOfFiles(repository: Repository, files: Iterable<TreeRow>): IndexTree {
  const root = newDirectory();
  for (const entry of files) {
    const names = entry.path.split('/');
    let at = root;
    for (const name of names.slice(0, -1)) {
      const below = at.directories.get(name) ?? newDirectory();
      at.directories.set(name, below);
      at = below;
    }
    at.files.set(names.at(-1) ?? '', entry);
  }
  hashDirectory(root);
  return {
    oid: root.oid,
    differsFrom: (tree) => isDifferent(repository, root, tree),
    write: (tree) => writeDirectory(repository, root, tree),
  };
}

async function isDifferent(repository: Repository, directory: Directory, tree: string): Promise<boolean> {
  if (directory.oid === tree) return false;
  const { library, at, signal } = repository;
  signal.throwIfAborted();
  const known = (await library.readTree({ ...at, oid: tree })).tree;
  if (known.length !== directory.directories.size + directory.files.size) return true;
  for (const { path, mode, oid, type } of known) {
    const below = directory.directories.get(path);
    if (type === 'tree') {
      if (!below || (await isDifferent(repository, below, oid))) return true;
    } else {
      const file = directory.files.get(path);
      if (file?.oid !== oid || file.mode !== Number.parseInt(mode, 8)) return true;
    }
  }
  return false;
}

function newDirectory(): Directory {
  return { directories: new Map(), files: new Map(), oid: '' };
}

/** Sets the ids of a directory and of those below it, of a content as git writes it (gitformat-tree). */
function hashDirectory(directory: Directory): void {
  for (const below of directory.directories.values()) hashDirectory(below);
  const rows = rowsOf(directory).map(({ mode, path, oid }) => ({
    // Git sorts by bytes, directories as if a slash ended their names.
    key: encoder.encode(mode === treeMode ? `${path}/` : path),
    bytes: [encoder.encode(`${mode.toString(8)} ${path}\0`), bytesOf(oid)],
  }));
  const pieces = rows.sort((a, b) => compareBytes(a.key, b.key)).flatMap(({ bytes }) => bytes);
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const header = encoder.encode(`tree ${sizeBytes}\0`);
  const digest = sha1(joinBytes([header, ...pieces], header.length + sizeBytes));
  directory.oid = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function writeDirectory(
  repository: Repository,
  directory: Directory,
  headTree: string | undefined,
): Promise<void> {
  if (directory.oid === headTree) return;
  const { library, at, signal } = repository;
  signal.throwIfAborted();
  const known = headTree === undefined ? [] : (await library.readTree({ ...at, oid: headTree })).tree;
  const trees = new Map(known.flatMap(({ path, oid, type }) => (type === 'tree' ? [[path, oid]] : [])));
  for (const [name, below] of directory.directories) {
    await writeDirectory(repository, below, trees.get(name));
  }
  const tree = rowsOf(directory).map(({ mode, ...row }) => ({
    ...row,
    mode: mode.toString(8).padStart(6, '0'),
    type: typeOf(mode),
  }));
  await library.writeTree({ ...at, tree });
}

function rowsOf({ directories, files }: Directory): { mode: number; path: string; oid: string }[] {
  return [
    ...[...directories].map(([path, { oid }]) => ({ mode: treeMode, path, oid })),
    ...[...files].map(([path, { mode, oid }]) => ({ mode, path, oid })),
  ];
}

function typeOf(mode: number): 'tree' | 'commit' | 'blob' {
  return mode === treeMode ? 'tree' : mode === 0o160000 ? 'commit' : 'blob';
}

function bytesOf(oid: string): Uint8Array {
  return Uint8Array.from({ length: 20 }, (_, at) => Number.parseInt(oid.slice(2 * at, 2 * at + 2), 16));
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
