import { SandboxError } from '../../../../protocol/errors.ts';
import { limits } from '../../../../protocol/limits.ts';
import { withIndexModes } from '../../../../sandbox/git/library/index-modes.ts';
import { changeIndex, type IndexRow, indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { hashBlob } from '../../../../sandbox/git/library/plan-move.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { type TreeFile, treeChanges } from '../../../../sandbox/git/library/tree-changes.ts';
import { decodeText, encodeText, type ShellText } from '../../../../shell/text.ts';

/** A file on one side of a comparison. */
export interface FileSide extends TreeFile {
  readonly path: string;
  /** Whether its content is in the working tree only. */
  readonly isInFiles?: boolean;
}

/** What became of a file. One that was renamed or copied has two paths, and how alike both are, in percent. */
export interface FileChange {
  readonly kind: 'A' | 'D' | 'M' | 'T' | 'R' | 'C' | 'U';
  readonly older: FileSide | undefined;
  readonly newer: FileSide | undefined;
  readonly score?: number;
}

/** A commit or a tree; the index; the files. */
export type Compared = { readonly tree: string } | 'index' | 'files';

const kindMask = 0o170000;
/** Bytes in which git looks for a NUL to tell what is no text (`buffer_is_binary`). */
const probedBytes = 8_000;

export function pathOf({ older, newer }: FileChange): string {
  return (newer ?? older)?.path ?? '';
}

/** Where two of them differ, by path. Files that git does not know are no part of it. */
export async function fileChanges(
  repository: Repository,
  { older, newer }: { readonly older: Compared; readonly newer: Compared },
): Promise<FileChange[]> {
  if (typeof older === 'object' && typeof newer === 'object') {
    const changes = await treeChanges(repository, { older: older.tree, newer: newer.tree });
    return byPath(changes.flatMap(({ path, older: was, newer: is }) => changeOf(path, was, is)));
  }
  const rows = await indexRows(repository);
  const unmerged = new Set(rows.flatMap(({ path, stage }) => (stage === 0 ? [] : [path])));
  const staged = new Map(rows.flatMap((row) => (row.stage === 0 ? [[row.path, row] as const] : [])));
  const before: ReadonlyMap<string, TreeFile> =
    typeof older === 'object' ? await filesOfTree(repository, older.tree) : staged;
  const paths = new Set([...before.keys(), ...staged.keys()]);
  // A commit and the files are compared past what the index has of a conflict.
  const skipsIndex = typeof older === 'object' && newer === 'files';
  if (skipsIndex) for (const path of unmerged) paths.add(path);
  const changes: FileChange[] = skipsIndex
    ? []
    : [...unmerged].map((path) => unmergedChange(path, before.get(path)));
  const files = newer === 'files' ? await FilesLook.open(repository) : undefined;
  for (const path of paths) {
    if (!skipsIndex && unmerged.has(path)) continue;
    const is = files ? await files.at(path, staged.get(path)) : staged.get(path);
    changes.push(...changeOf(path, before.get(path), is));
  }
  await files?.refresh();
  return byPath(changes);
}

/** All files of a tree, by path. */
export async function filesOfTree(repository: Repository, tree: string): Promise<Map<string, TreeFile>> {
  if (tree === emptyTree) return new Map();
  const changes = await treeChanges(repository, { older: emptyTree, newer: tree });
  return new Map(changes.flatMap(({ path, newer }) => (newer ? [[path, newer] as const] : [])));
}

/** The content of a side; of a submodule, what git shows of it. */
export async function contentOf(repository: Repository, side: FileSide | undefined): Promise<Uint8Array> {
  if (!side) return new Uint8Array(0);
  const { library, at } = repository;
  if (side.mode === 0o160000) return new TextEncoder().encode(`Subproject commit ${side.oid}\n`);
  if (!side.isInFiles) return (await library.readBlob({ ...at, oid: side.oid })).blob;
  const path = `${at.dir}/${side.path}`;
  if (side.mode === 0o120000) return encodeText(await at.fs.promises.readlink(path));
  const content = await at.fs.promises.readFile(path);
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** Looks at files of the working tree, and notes in the index those that are as it has them. */
export class FilesLook {
  readonly #repository: Repository;
  readonly #looking: Repository;
  readonly #isFolded: boolean;
  readonly #refreshed: Parameters<typeof changeIndex>[1][number][] = [];

  private constructor(repository: Repository, looking: Repository, isFolded: boolean) {
    this.#repository = repository;
    this.#looking = looking;
    this.#isFolded = isFolded;
  }

  static async open(repository: Repository): Promise<FilesLook> {
    const isFolded = (await repository.setting('core.autocrlf')) === 'true';
    return new FilesLook(repository, await withIndexModes(repository), isFolded);
  }

  /** `undefined` where no file is. */
  async at(path: string, row: IndexRow | undefined): Promise<FileSide | undefined> {
    const { at, signal } = this.#looking;
    signal.throwIfAborted();
    const full = `${at.dir}/${path}`;
    const stat = await at.fs.promises.lstat(full).catch((error) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    if (!stat) return undefined;
    if (row?.mode === 0o160000)
      return stat.isDirectory() ? { path, oid: row.oid, mode: row.mode } : undefined;
    if (stat.isDirectory()) return undefined;
    if (row?.isSame(stat)) return { path, oid: row.oid, mode: row.mode, isInFiles: true };
    const mode = stat.isSymbolicLink() ? 0o120000 : stat.mode & 0o100 ? 0o100755 : 0o100644;
    const content = stat.isSymbolicLink()
      ? encodeText(await at.fs.promises.readlink(full))
      : await at.fs.promises.readFile(full);
    if (typeof content === 'string') throw new SandboxError('internal', `"${path}" was read as text`);
    const oid = hashBlob(content);
    const isFolded = this.#isFolded && row !== undefined && hashBlob(withoutReturns(content)) === row.oid;
    const side = { path, oid: isFolded ? row.oid : oid, mode, isInFiles: true };
    if (row && side.oid === row.oid && mode === row.mode) this.#refreshed.push({ path, file: side, stat });
    return side;
  }

  /** Notes what was read and found the same, so that it is not read again, as `git status` does. */
  async refresh(): Promise<void> {
    await changeIndex(this.#repository, this.#refreshed.splice(0)).catch(() => undefined);
  }
}

function changeOf(path: string, was: TreeFile | undefined, is: TreeFile | undefined): FileChange[] {
  if (was?.oid === is?.oid && was?.mode === is?.mode) return [];
  const [older, newer] = [was && { ...was, path }, is && { ...is, path }];
  if (!older) return [{ kind: 'A', older, newer }];
  if (!newer) return [{ kind: 'D', older, newer }];
  return [{ kind: (older.mode & kindMask) === (newer.mode & kindMask) ? 'M' : 'T', older, newer }];
}

function unmergedChange(path: string, was: TreeFile | undefined): FileChange {
  return { kind: 'U', older: was && { ...was, path }, newer: { path, oid: '0'.repeat(40), mode: 0 } };
}

export function byPath(changes: readonly FileChange[]): FileChange[] {
  return [...changes].sort((a, b) => compareNames(pathOf(a), pathOf(b)));
}

const encoder = new TextEncoder();

/** As git sorts: by bytes. */
export function compareNames(one: string, other: string): number {
  if (!/[^\0-\x7f]/.test(one + other)) return one < other ? -1 : one > other ? 1 : 0;
  const [a, b] = [encoder.encode(one), encoder.encode(other)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function withoutReturns(content: Uint8Array): Uint8Array {
  return content.filter((byte, at) => byte !== 0x0d || content[at + 1] !== 0x0a);
}

export function modeText(mode = 0): string {
  return mode.toString(8).padStart(6, '0');
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.length > limits.textDiffBytes || bytes.subarray(0, probedBytes).includes(0);
}

/** Text that keeps bytes which are no UTF-8: what is merged of it is written again. */
export function textOf(bytes: Uint8Array): ShellText {
  return decodeText(bytes);
}
