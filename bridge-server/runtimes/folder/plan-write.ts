import type { BigIntStats } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import type { FileContent } from '../../../tree/content/file-content.ts';
import { isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { parentOf } from './aside.ts';
import { looksSame, namesIn, statOf } from './folder-entry.ts';
import type { WriteReach, WriteRules } from './folder-rules.ts';
import { hasBytes } from './has-bytes.ts';
import type { OpenFolder } from './open-folder.ts';

/** One change of the folder, in the order in which they are made. */
export interface WriteStep {
  readonly type: 'remove' | 'write' | 'metadata';
  readonly path: ByteString;
  /** What of the same kind was at the path, in the tree of before; 0 where nothing was. */
  readonly beforeIno: Ino;
  /** What comes there, in the tree that is written; 0 where it is removed. */
  readonly ino: Ino;
  readonly isDirectory: boolean;
}

export interface PlanOptions {
  readonly folder: OpenFolder;
  readonly rules: WriteRules;
  /** What the folder has, as it was just read. */
  readonly before: LiveTree;
  /** What it is to have. */
  readonly tree: LiveTree;
}

/** What has to be changed in a folder. @throws conflict where a file is not as it was read, or one that is left out of the history is in the way */
export async function planWrite(options: PlanOptions): Promise<readonly WriteStep[]> {
  const planner = new WritePlanner(options);
  await planner.plan('', { before: options.before.root, now: options.tree.root, reach: 'all' });
  return planner.steps;
}

/** Where what the writer has aside is, for each step: in the nearest directory above the path that it neither makes nor removes. */
export function holdersOf(steps: readonly WriteStep[]): ByteString[] {
  const passing = new Set(
    steps.filter((step) => step.isDirectory && step.type !== 'metadata').map(({ path }) => path),
  );
  return steps.map(({ path }) => {
    let holder = parentOf(path);
    while (passing.has(holder)) holder = parentOf(holder);
    return holder;
  });
}

class WritePlanner {
  readonly steps: WriteStep[] = [];
  readonly #options: PlanOptions;
  readonly #before: LiveTree;
  readonly #tree: LiveTree;
  readonly #mounts: ReadonlySet<ByteString>;
  readonly #slices = new WorkSlices();

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#mounts = options.folder.mounts();
    this.#before = options.before;
    this.#tree = options.tree;
  }

  async plan(path: ByteString, { before, now, reach }: PlannedNames): Promise<void> {
    const old = new Map(names(this.#before, before));
    for (const [name, ino] of old) {
      const below = path === '' ? name : `${path}/${name}`;
      const inode = this.#before.stat(ino);
      const next = this.#tree.stat(this.#tree.lookup(now, name));
      if (inode && (!next || next.mode >> 12 !== inode.mode >> 12)) {
        const isEmptied = this.#planRemoval(below, { ino, inode, reach });
        if (next && !isEmptied && this.#reach(below, next, reach) === 'all') throw inTheWay(below);
      }
      await this.#slices.end();
    }
    for (const [name, ino] of names(this.#tree, now)) {
      const below = path === '' ? name : `${path}/${name}`;
      await this.#planEntry(below, { before: old.get(name) ?? 0, now: ino, reach });
      await this.#slices.end();
    }
  }

  /** Files first, then the directory that they were in. Answers whether nothing stays there that is left out of the history. */
  #planRemoval(path: ByteString, { ino, inode, reach: above }: PlannedRemoval): boolean {
    const reach = this.#reach(path, inode, above);
    if (reach === 'none' || reach === 'absent') return false;
    const known = new Map(names(this.#before, ino));
    const at = this.#options.folder.at(path);
    let isEmptied =
      !isDirectory(inode.mode) || at === undefined || namesIn(at, path).every((name) => known.has(name));
    for (const [name, child] of known) {
      const view = this.#before.stat(child);
      if (view)
        isEmptied = this.#planRemoval(`${path}/${name}`, { ino: child, inode: view, reach }) && isEmptied;
    }
    assertUnchanged(this.#stat(path), path, inode);
    this.#add({ type: 'remove', path, beforeIno: ino, ino: 0 }, inode);
    return isEmptied;
  }

  #reach(path: ByteString, { mode }: InodeView, above: WriteReach): WriteReach {
    if (this.#mounts.has(path)) return 'none';
    const own = this.#options.rules(path, { isDirectory: isDirectory(mode) });
    return own === 'absent' || above === 'all' ? own : above;
  }

  async #planEntry(
    path: ByteString,
    { before: foundIno, now: ino, reach: above }: PlannedNames,
  ): Promise<void> {
    const inode = this.#tree.stat(ino);
    const reach = inode && this.#reach(path, inode, above);
    if (!inode || !reach || reach === 'none') return;
    const found = this.#before.stat(foundIno);
    const before = found && found.mode >> 12 === inode.mode >> 12 ? found : undefined;
    const beforeIno = before ? foundIno : 0;
    if (reach === 'absent' || (reach === 'known' && !found)) {
      const stat = this.#stat(path);
      const isEntered = stat?.isDirectory() && isDirectory(inode.mode);
      if (isEntered) await this.plan(path, { before: 0, now: ino, reach: 'absent' });
      if (stat) return;
    }
    if (!before || !this.#hasContent(path, { before, beforeIno, inode, ino })) {
      if (before) assertUnchanged(this.#stat(path), path, before);
      else if (!found && this.#stat(path) !== undefined) throw inTheWay(path);
      this.#add({ type: 'write', path, beforeIno, ino }, inode);
    } else if (!isDirectory(inode.mode) && !isSameMetadata(before, inode)) {
      // What is set of a file with several names is set for all of them.
      const type = (this.#stat(path)?.nlink ?? 1n) > 1n ? 'write' : 'metadata';
      this.#add({ type, path, beforeIno, ino }, inode);
    }
    if (!isDirectory(inode.mode)) return;
    await this.plan(path, { before: beforeIno, now: ino, reach });
    // Last, since it may not let its owner write there.
    if (!before || !isSameMetadata(before, inode))
      this.#add({ type: 'metadata', path, beforeIno, ino }, inode);
  }

  #add(step: Omit<WriteStep, 'isDirectory'>, { mode }: InodeView): void {
    this.steps.push({ ...step, isDirectory: isDirectory(mode) });
  }

  #hasContent(
    path: ByteString,
    at: { readonly before: InodeView; readonly beforeIno: Ino; readonly inode: InodeView; readonly ino: Ino },
  ): boolean {
    const { before, inode } = at;
    if (isDirectory(inode.mode)) return true;
    if (isSymlink(inode.mode)) return before.target === inode.target;
    if (before.sizeBytes !== inode.sizeBytes) return false;
    const [one, other] = [this.#before.inode(at.beforeIno)?.content, this.#tree.inode(at.ino)?.content];
    if (one && other) return isSameContent(one, other);
    const where = this.#options.folder.at(path);
    return where !== undefined && hasBytes(where, this.#tree, at.ino);
  }

  #stat(path: ByteString): BigIntStats | undefined {
    const at = this.#options.folder.at(path);
    return at === undefined ? undefined : statOf(at, path);
  }
}

/** Two directories of one path, or two entries of one: of before and to be, 0 where there is none. */
interface PlannedNames {
  readonly before: Ino;
  readonly now: Ino;
  /** What may be done where they are. */
  readonly reach: WriteReach;
}

interface PlannedRemoval {
  readonly ino: Ino;
  readonly inode: InodeView;
  readonly reach: WriteReach;
}

/** @throws conflict */
export function assertUnchanged(stat: BigIntStats | undefined, path: ByteString, before: InodeView): void {
  if (stat && (isDirectory(before.mode) ? stat.isDirectory() : looksSame(stat, before))) return;
  throw changedMeanwhile(path);
}

function names(tree: LiveTree, directory: Ino): [ByteString, Ino][] {
  const found: [ByteString, Ino][] = [];
  if (directory !== 0 && isDirectory(tree.stat(directory)?.mode ?? 0)) {
    tree.readdir(directory, 0, (name, ino) => Boolean(found.push([name, ino])));
  }
  return found;
}

function isSameContent(one: FileContent, other: FileContent): boolean {
  if (one.type === 'zeros' || other.type === 'zeros') return one.type === other.type;
  return one.id === other.id;
}

function isSameMetadata(one: InodeView, other: InodeView): boolean {
  const isSameTime =
    !isFile(one.mode) ||
    (one.mtimeSeconds === other.mtimeSeconds && one.mtimeNanoseconds === other.mtimeNanoseconds);
  return one.mode === other.mode && one.uid === other.uid && one.gid === other.gid && isSameTime;
}

export function changedMeanwhile(path: ByteString): SandboxError {
  const message = `Cannot put the files back: /${toDisplayText(path)} was changed meanwhile. Do it again once nobody writes there`;
  return new SandboxError('conflict', message, { details: { path: toDisplayText(path) } });
}

function inTheWay(path: ByteString): SandboxError {
  const shown = toDisplayText(path);
  const message = `Cannot put the files back: at /${shown} is something that is not in the history, where a file has to be. Move it away first`;
  return new SandboxError('conflict', message, { details: { path: shown } });
}
