import type { WalkerEntry } from 'isomorphic-git';
import { indexTree } from './commit-trees.ts';
import { findSuspects } from './find-suspects.ts';
import { withIndexModes } from './index-modes.ts';
import { emptyTree, type Repository } from './repository.ts';

/** Beyond so many that may differ, everything is compared in one walk. */
const mostSuspects = 100;

/** A file that differs between the working tree and the index. */
export interface UnstagedFile {
  readonly path: string;
  /** Whether the working tree has it. */
  readonly isThere: boolean;
}

/**
 * Files at or below `paths` whose content or mode differs between working tree and index, or that only one of them has, but
 * for ignored ones. HEAD is not read.
 */
export async function unstagedFiles(
  repository: Repository,
  paths: readonly string[] = ['.'],
): Promise<UnstagedFile[]> {
  const comparing = await withIndexModes(repository);
  const asked = paths.map((path) => path.replace(/\/+$/, ''));
  const isAsked = (path: string) => asked.some((top) => top === '.' || isWithin(path, top));
  const isAbove = (path: string) => asked.some((top) => isWithin(top, path));
  // Few are compared by content, and each of their directories is looked at once.
  const suspects = await findSuspects(comparing, { isAsked, isAbove });
  if (!suspects || suspects.length > mostSuspects) return differingFiles(comparing, { isAsked, isAbove });
  return differingFiles(comparing, {
    isAsked: (path) => suspects.some((top) => isWithin(path, top)),
    isAbove: (path) => suspects.some((top) => isWithin(top, path)),
  });
}

async function differingFiles(
  { library, at }: Repository,
  { isAsked, isAbove }: Record<'isAsked' | 'isAbove', (path: string) => boolean>,
): Promise<UnstagedFile[]> {
  const files: UnstagedFile[] = [];
  await library.walk({
    ...at,
    trees: [library.WORKDIR(), library.STAGE()],
    map: async (path, [file = null, index = null]) => {
      if (path === '.') return path;
      if (!isAsked(path) && !isAbove(path)) return null;
      // A submodule is a commit in the index; its files are its own.
      if ((await index?.type()) === 'commit') return null;
      if (!index && (await library.isIgnored({ ...at, filepath: path }))) return null;
      const [present, staged] = [await blob(file), await blob(index)];
      if (!isAsked(path) || (await areSame(present, staged))) return path;
      files.push({ path, isThere: present !== undefined });
      return path;
    },
  });
  return files;
}

/** Whether the index differs from HEAD: a commit would change something. The working tree is not read. */
export async function isAnyStaged(repository: Repository): Promise<boolean> {
  const { library, at } = repository;
  const made = await indexTree(repository);
  if (made) return made.differsFrom(await treeOf(repository));
  let isStaged = false;
  await library.walk({
    ...at,
    trees: [library.TREE({ ref: await repository.headTree() }), library.STAGE()],
    map: async (path, [head = null, index = null]) => {
      if (isStaged) return null;
      if (path === '.') return path;
      // Many are compared at a time.
      if (!(await areSame(await blob(head), await blob(index)))) isStaged = true;
      return path;
    },
  });
  return isStaged;
}

/** The id of the tree of HEAD, or of none before the first commit. */
export async function treeOf(repository: Repository): Promise<string> {
  const { library, at } = repository;
  const head = await repository.head();
  if (head === undefined) return emptyTree;
  return (await library.readCommit({ ...at, oid: head })).commit.tree;
}

/** Whether a path is `top` or below it. */
export function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}

/** `undefined` of directories, and of what git does not store. */
export async function blob(entry: WalkerEntry | null): Promise<WalkerEntry | undefined> {
  return entry && (await entry.type()) === 'blob' ? entry : undefined;
}

/** Whether two files have the same content and mode. */
export async function areSame(
  left: WalkerEntry | undefined,
  right: WalkerEntry | undefined,
): Promise<boolean> {
  if (!left || !right) return left === right;
  return (await left.oid()) === (await right.oid()) && (await left.mode()) === (await right.mode());
}
