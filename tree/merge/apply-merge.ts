import { type ByteString, toDisplayText } from '../content/byte-string.ts';
import { historyError } from '../history/history-error.ts';
import { errno } from '../live/errno.ts';
import { fileMode, isFile, isSymlink } from '../live/file-mode.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import type { LiveTree } from '../live/live-tree.ts';
import { sameInode, type TreeEntry } from '../objects/tree-entry.ts';
import type { LinkedNames } from './linked-names.ts';
import type { MergedEntry } from './merge-entries.ts';
import type { MergeStep } from './plan-merge.ts';

/**
 * Makes the steps of a plan in a tree that is like ours. `theirs` are the files of several names in their tree: names that a
 * side has for one file stay names of one file where the merge gives them the same content.
 * @throws limit-exceeded when the result does not fit into the tree
 */
export function applyMerge(
  tree: LiveTree,
  { steps, theirs }: { readonly steps: readonly MergeStep[]; readonly theirs: LinkedNames },
): void {
  const run = new MergeRun(tree, theirs);
  for (const step of steps) run.make(step);
}

interface Made extends MergedEntry {
  readonly ino: Ino;
}

class MergeRun {
  readonly #tree: LiveTree;
  readonly #theirs: LinkedNames;
  /** What was made of files with several names: by their names in their tree, and by their number in ours. */
  readonly #made = new Map<readonly ByteString[] | Ino, Made[]>();

  constructor(tree: LiveTree, theirs: LinkedNames) {
    this.#tree = tree;
    this.#theirs = theirs;
  }

  make(step: MergeStep): void {
    if (step.type === 'attributes') {
      const ino = this.#at(step.path);
      this.#setAttributes(ino, step);
      return;
    }
    const at = this.#placeOf(step.path);
    if (step.type === 'remove') this.#remove(at, step.path);
    else this.#put(step, at);
  }

  #put(step: MergeStep & { readonly type: 'make' }, { directory, name }: Place): void {
    const { path, entry } = step;
    const before = this.#tree.inode(this.#tree.lookup(directory, name));
    const groups = entry.directory ? [] : this.#groupsOf(path, before);
    const same = groups
      .flatMap((group) => this.#made.get(group) ?? [])
      .find((made) => isSameResult(made, step));
    const linked = same?.ino ?? this.#unchangedName(step, before);
    if (linked === before?.ino && linked !== undefined) return;
    if (before) this.#check(this.#tree.unlink(directory, name), path);
    const ino = linked ?? this.#create(step, { directory, name });
    if (linked !== undefined) this.#check(this.#tree.link(linked, directory, name), path);
    for (const group of groups) this.#made.set(group, [...(this.#made.get(group) ?? []), { ...step, ino }]);
  }

  /** What `path` is one of several names of. */
  #groupsOf(path: ByteString, before: Inode | undefined): (readonly ByteString[] | Ino)[] {
    const theirs = this.#theirs.get(path);
    return [...(theirs ? [theirs] : []), ...(before && before.otherLinks.length > 0 ? [before.ino] : [])];
  }

  /** Another name of the file in their tree that is the same file here already. */
  #unchangedName(
    { path, entry, text }: MergeStep & { readonly type: 'make' },
    before: Inode | undefined,
  ): Ino | undefined {
    if (text || entry.directory) return undefined;
    for (const other of this.#theirs.get(path) ?? []) {
      if (other === path) continue;
      const inode = this.#find(other);
      if (inode && inode !== before && isSameFile(inode, entry)) return inode.ino;
    }
    return undefined;
  }

  #create({ path, entry, text }: MergeStep & { readonly type: 'make' }, { directory, name }: Place): Ino {
    const { mode, uid, gid, rdev, target, content, sizeBytes } = entry;
    const ino = this.#check(
      this.#tree.create(directory, name, {
        ...{ mode, uid, gid, rdev },
        ...(target === undefined ? {} : { target }),
      }),
      path,
    );
    if (text) this.#check(this.#tree.write(ino, 0, text), path);
    else if (content) this.#check(this.#tree.setContent(ino, { content, sizeBytes }), path);
    this.#setAttributes(ino, { path, entry });
    return ino;
  }

  #setAttributes(ino: Ino, { path, entry }: { readonly path: ByteString; readonly entry: TreeEntry }): void {
    const { mode, uid, gid, xattrs } = entry;
    for (const name of this.#tree.listXattrs(ino))
      if (!xattrs.has(name)) this.#check(this.#tree.removeXattr(ino, name), path);
    for (const [name, value] of xattrs) this.#check(this.#tree.setXattr(ino, name, value), path);
    const mtime = { seconds: entry.mtimeSeconds, nanoseconds: entry.mtimeNanoseconds };
    const permissions = isSymlink(mode) ? {} : { permissions: mode & fileMode.permissions };
    this.#check(this.#tree.setAttributes(ino, { uid, gid, mtime, ...permissions }), path);
  }

  #remove({ directory, name }: Place, path: ByteString): void {
    const ino = this.#tree.lookup(directory, name);
    if (!this.#tree.inode(ino)?.entries) {
      this.#check(this.#tree.unlink(directory, name), path);
      return;
    }
    const names: ByteString[] = [];
    this.#check(
      this.#tree.readdir(ino, 0, (each) => names.push(each) > 0),
      path,
    );
    for (const each of names) this.#remove({ directory: ino, name: each }, path);
    this.#check(this.#tree.rmdir(directory, name), path);
  }

  #placeOf(path: ByteString): Place {
    const slash = path.lastIndexOf('/');
    return { directory: this.#at(path.slice(0, slash)), name: path.slice(slash + 1) };
  }

  #at(path: ByteString): Ino {
    return this.#find(path)?.ino ?? this.#check(-errno.ENOENT, path);
  }

  #find(path: ByteString): Inode | undefined {
    let at = this.#tree.root;
    for (const name of path.split('/')) if (name !== '') at = this.#tree.lookup(at, name);
    return this.#tree.inode(at);
  }

  /** Answers what is no failure. */
  #check(result: number, path: ByteString): number {
    if (result >= 0) return result;
    const why = Object.entries(errno).find(([, value]) => value === -result)?.[0] ?? String(result);
    const shown = toDisplayText(path).slice(0, 200);
    throw historyError('limit-exceeded', `Cannot merge: "${shown}" does not fit into the result (${why})`, {
      path: shown,
      errno: why,
    });
  }
}

interface Place {
  readonly directory: Ino;
  readonly name: ByteString;
}

function isSameResult(one: MergedEntry, other: MergedEntry): boolean {
  if (!one.text || !other.text) return !one.text && !other.text && sameInode(one.entry, other.entry);
  const { text } = other;
  return (
    one.text.length === text.length &&
    one.text.every((byte, index) => byte === text[index]) &&
    sameInode({ ...one.entry, content: undefined }, { ...other.entry, content: undefined })
  );
}

/** Whether a sealed file is what an entry says. */
function isSameFile(inode: Inode, entry: TreeEntry): boolean {
  if (isFile(inode.mode) && !inode.content) return false;
  const { mode, uid, gid, mtimeSeconds, mtimeNanoseconds, rdev, target, xattrs } = inode;
  const there = { mode, uid, gid, mtimeSeconds, mtimeNanoseconds, rdev, target, xattrs };
  const content = { sizeBytes: inode.fileBytes, content: inode.content, directory: undefined };
  return sameInode({ name: '', ...there, ...content }, entry);
}
