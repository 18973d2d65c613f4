import { limits } from '../../../../protocol/limits.ts';
import type { ConflictSides } from '../../../../sandbox/git/library/index-file.ts';
import { mergeBases } from '../../../../sandbox/git/library/merge-bases.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { directoriesAbove, type TreeFile } from '../../../../sandbox/git/library/tree-changes.ts';
import { encodeText } from '../../../../shell/text.ts';
import {
  compareNames,
  contentOf,
  type FileChange,
  fileChanges,
  filesOfTree,
  isBinary,
  pathOf,
  textOf,
} from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { NotInShellError } from '../git-command-error.ts';
import { type ConflictLabels, type Favor, mergeLines } from './merge-lines.ts';

export interface TreesToMerge {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly labels: ConflictLabels;
  readonly favor?: Favor;
}

/** What a path is to be, compared with ours. */
interface MergedPath {
  readonly path: string;
  readonly ours: TreeFile | undefined;
  readonly result: TreeFile | undefined;
  /** Of a conflict. */
  readonly sides?: ConflictSides;
}

export interface MergedTrees {
  readonly paths: readonly MergedPath[];
  readonly messages: readonly string[];
  readonly isClean: boolean;
}

interface Sides {
  readonly path: string;
  readonly base: TreeFile | undefined;
  readonly ours: TreeFile | undefined;
  readonly theirs: TreeFile | undefined;
}

/** Merges trees file by file, those that were renamed by their new names. Nothing but objects is written. @throws NotInShellError */
export async function mergeTrees(repository: Repository, trees: TreesToMerge): Promise<MergedTrees> {
  const changesTo = async (tree: string) =>
    findRenames(repository, await fileChanges(repository, { older: { tree: trees.base }, newer: { tree } }));
  const [mine, other] = [await changesTo(trees.ours), await changesTo(trees.theirs)];
  const merger = new Merger(repository, trees, mine);
  assertNoMovedDirectories(mine, other, await filesOfTree(repository, trees.ours));
  assertNoMovedDirectories(other, mine, await filesOfTree(repository, trees.theirs));
  for (const change of other) {
    repository.signal.throwIfAborted();
    await merger.take(change);
  }
  return merger.result(await filesOfTree(repository, trees.ours));
}

class Merger {
  readonly #repository: Repository;
  readonly #trees: TreesToMerge;
  /** What ours made of a path of the base, and what it has at a path. */
  readonly #mineByOlder = new Map<string, FileChange>();
  readonly #mineByNewer = new Map<string, FileChange>();
  readonly #paths = new Map<string, MergedPath>();
  readonly #messages: { readonly path: string; readonly text: string }[] = [];
  #isClean = true;

  constructor(repository: Repository, trees: TreesToMerge, mine: readonly FileChange[]) {
    this.#repository = repository;
    this.#trees = trees;
    for (const change of mine) {
      if (change.older) this.#mineByOlder.set(change.older.path, change);
      if (change.newer) this.#mineByNewer.set(change.newer.path, change);
    }
  }

  async take(change: FileChange): Promise<void> {
    const { kind, older, newer } = change;
    const path = pathOf(change);
    const made = this.#mineByNewer.get(path);
    if (kind === 'A') {
      const ours = made?.newer;
      if (made && made.kind !== 'A')
        this.#refuse(path, 'one side has renamed a file to it, and the other has added it');
      if (!ours) this.#put({ path, ours: undefined, result: newer });
      else if (ours.oid !== newer?.oid || ours.mode !== newer.mode)
        await this.#join({ path, base: undefined, ours, theirs: newer });
      return;
    }
    const was = older?.path ?? path;
    const mine = this.#mineByOlder.get(was);
    if (kind === 'R') return this.#takeRename(change, { was, mine });
    if (!mine) this.#put({ path, ours: older, result: newer });
    else if (mine.kind === 'R') {
      if (!newer) this.#refuse(was, 'one side has renamed it, and the other has removed it');
      const at = mine.newer?.path ?? path;
      await this.#join({ path: at, base: older, ours: mine.newer, theirs: newer });
    } else if (!mine.newer && !newer) return;
    else if (mine.newer && newer) {
      if (mine.newer.oid !== newer.oid || mine.newer.mode !== newer.mode)
        await this.#join({ path, base: older, ours: mine.newer, theirs: newer });
    } else this.#oneRemoved({ path, base: older, ours: mine.newer, theirs: newer });
  }

  result(ours: ReadonlyMap<string, TreeFile>): MergedTrees {
    const files = new Set(ours.keys());
    for (const { path, result } of this.#paths.values())
      if (result) files.add(path);
      else files.delete(path);
    for (const path of files)
      for (const above of directoriesAbove(path))
        if (files.has(above)) this.#refuse(above, 'it is a file on one side and a directory on the other');
    const messages = [...this.#messages].sort((a, b) => compareNames(a.path, b.path)).map(({ text }) => text);
    return { paths: [...this.#paths.values()], messages, isClean: this.#isClean };
  }

  async #takeRename(
    { older, newer }: FileChange,
    { was, mine }: { readonly was: string; readonly mine: FileChange | undefined },
  ): Promise<void> {
    const path = newer?.path ?? was;
    if (this.#mineByNewer.has(path) && mine?.newer?.path !== path)
      this.#refuse(path, 'both sides have put a file there');
    if (!mine) {
      this.#put({ path: was, ours: older, result: undefined });
      this.#put({ path, ours: undefined, result: newer });
    } else if (mine.kind === 'D') this.#refuse(was, 'one side has removed it, and the other has renamed it');
    else if (mine.kind === 'R' && mine.newer?.path !== path) this.#refuse(was, 'both sides have renamed it');
    else if (mine.kind === 'R') {
      if (mine.newer?.oid !== newer?.oid || mine.newer?.mode !== newer?.mode)
        await this.#join({ path, base: older, ours: mine.newer, theirs: newer });
    } else {
      this.#put({ path: was, ours: mine.newer, result: undefined });
      await this.#join({ path, base: older, ours: mine.newer, theirs: newer }, { isMoved: true });
    }
  }

  /** Merges the content of a file that both sides have changed. */
  async #join(sides: Sides, where: { readonly isMoved?: boolean } = {}): Promise<void> {
    const { path, base, ours, theirs } = sides;
    if (!ours || !theirs) return;
    const at = where.isMoved ? undefined : ours;
    const isText = (file: TreeFile | undefined) => !file || (file.mode & 0o170000) === 0o100000;
    if (ours.oid !== theirs.oid && ![ours, theirs, base].every(isText))
      this.#refuse(path, 'it is no plain file on both sides');
    const mode = base && ours.mode === base.mode ? theirs.mode : ours.mode;
    if (ours.oid === theirs.oid || theirs.oid === base?.oid) {
      this.#put({ path, ours: at, result: { oid: ours.oid, mode } });
      return;
    }
    if (ours.oid === base?.oid) {
      this.#put({ path, ours: at, result: { oid: theirs.oid, mode } });
      return;
    }
    const [before, mine, other] = await Promise.all(
      [base, ours, theirs].map((file) => contentOf(this.#repository, file && { ...file, path })),
    );
    if (!before || !mine || !other) return;
    this.#messages.push({ path, text: `Auto-merging ${path}` });
    if ([before, mine, other].some(isBinary)) {
      const { favor } = this.#trees;
      if (favor) {
        this.#put({ path, ours: at, result: favor === 'ours' ? ours : { oid: theirs.oid, mode } });
        return;
      }
      this.#conflict(
        `warning: Cannot merge binary files: ${path} (${this.#trees.labels.ours} vs. ${this.#trees.labels.theirs})`,
        path,
      );
      this.#conflict(`CONFLICT (${base ? 'content' : 'add/add'}): Merge conflict in ${path}`, path);
      this.#put({ path, ours: at, result: ours, sides: [base, ours, theirs] });
      return;
    }
    const { labels, favor } = this.#trees;
    const merged = await mergeLines(
      { base: textOf(before), ours: textOf(mine), theirs: textOf(other) },
      { labels, favor, signal: this.#repository.signal },
    );
    const { library, at: place } = this.#repository;
    const oid = await library.writeBlob({ ...place, blob: encodeText(merged.text) });
    if (merged.isClean) {
      this.#put({ path, ours: at, result: { oid, mode } });
      return;
    }
    this.#conflict(`CONFLICT (${base ? 'content' : 'add/add'}): Merge conflict in ${path}`, path);
    this.#put({ path, ours: at, result: { oid, mode }, sides: [base, ours, theirs] });
  }

  #oneRemoved({ path, base, ours, theirs }: Sides): void {
    const { labels } = this.#trees;
    const [removed, kept] = ours ? [labels.theirs, labels.ours] : [labels.ours, labels.theirs];
    this.#conflict(
      `CONFLICT (modify/delete): ${path} deleted in ${removed} and modified in ${kept}.  Version ${kept} of ${path} left in tree.`,
      path,
    );
    this.#put({ path, ours, result: ours ?? theirs, sides: [base, ours, theirs] });
  }

  #conflict(text: string, path: string): void {
    this.#isClean = false;
    this.#messages.push({ path, text });
  }

  #put(merged: MergedPath): void {
    this.#paths.set(merged.path, merged);
  }

  #refuse(path: string, why: string): never {
    throw new NotInShellError(
      `fatal: the git of a shell does not merge ${JSON.stringify(path)}: ${why}; nothing was changed`,
      128,
    );
  }
}

/** Real git moves what the other side has added to a directory that was renamed. @throws NotInShellError */
function assertNoMovedDirectories(
  renaming: readonly FileChange[],
  adding: readonly FileChange[],
  files: ReadonlyMap<string, TreeFile>,
): void {
  const directoryOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
  const left = new Set<string>();
  for (const { kind, older, newer } of renaming)
    if (kind === 'R' && older && newer && directoryOf(older.path) !== directoryOf(newer.path))
      left.add(directoryOf(older.path));
  left.delete('');
  if (left.size === 0) return;
  for (const path of files.keys()) left.delete(directoryOf(path));
  for (const { kind, newer } of adding) {
    if (kind !== 'A' || !newer || !left.has(directoryOf(newer.path))) continue;
    throw new NotInShellError(
      `fatal: the git of a shell does not merge ${JSON.stringify(newer.path)}: the other side has renamed its directory; nothing was changed`,
      128,
    );
  }
}

/** The tree that two commits come from: where there are several, what comes of merging those, the oldest first. */
export async function baseTree(repository: Repository, one: string, other: string): Promise<string> {
  let merges = 0;
  const treeBetween = async (left: string, right: string, depth: number): Promise<string> => {
    const [first, ...others] = (await mergeBases(repository, left, right)).reverse();
    if (first === undefined) return emptyTree;
    let { tree } = await readCommitParts(repository, first);
    for (const base of others) {
      merges += 1;
      if (depth >= limits.gitMergeDepth || merges > limits.gitMergedBases) throw tooCrosswise();
      const theirs = (await readCommitParts(repository, base)).tree;
      const labels = { ours: 'Temporary merge branch 1', theirs: 'Temporary merge branch 2' };
      const merged = await mergeTrees(repository, {
        base: await treeBetween(first, base, depth + 1),
        ours: tree,
        theirs,
        labels,
      });
      tree = await treeWith(repository, tree, merged.paths);
    }
    return tree;
  };
  return treeBetween(one, other, 0);
}

function tooCrosswise(): NotInShellError {
  return new NotInShellError(
    'fatal: the two sides have been merged crosswise too often for the git of a shell; nothing was changed',
    128,
  );
}

async function treeWith(repository: Repository, tree: string, paths: readonly MergedPath[]): Promise<string> {
  const { treeOfFiles } = await import('../../../../sandbox/git/library/commit-trees.ts');
  const files = await filesOfTree(repository, tree);
  for (const { path, result } of paths) {
    if (result) files.set(path, result);
    else files.delete(path);
  }
  const made = treeOfFiles(
    repository,
    [...files].map(([path, file]) => ({ ...file, path })),
  );
  await made.write(tree);
  return made.oid;
}
