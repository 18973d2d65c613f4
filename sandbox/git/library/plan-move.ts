import { sha1 } from '@noble/hashes/legacy.js';
import { SandboxError } from '../../../protocol/errors.ts';
import { joinBytes } from '../../../tree/join-bytes.ts';
import type { GitFileCalls, GitFileStat } from './git-files.ts';
import { withIndexModes } from './index-modes.ts';
import { type IndexEntry, readIndex } from './read-index.ts';
import type { Repository } from './repository.ts';
import type { PathChange, TreeFile } from './tree-changes.ts';

export const submoduleMode = 0o160000;
export const linkMode = 0o120000;
/** Files that a message names. */
const namedPaths = 5;
const encoder = new TextEncoder();

/** A change, and what the working tree has at its path: the older file, the newer one already, nothing, or something else. */
export interface MoveStep extends PathChange {
  readonly found: 'older' | 'newer' | 'nothing' | 'other';
}

/**
 * Compares the files at the paths of some changes with both sides of them. Without `force`, what is on neither side would be
 * lost. @throws conflict
 */
export async function planMove(
  repository: Repository,
  {
    changes,
    force,
    what,
  }: { readonly changes: readonly PathChange[]; readonly force: boolean; readonly what: string },
): Promise<MoveStep[]> {
  const looking = new Looking(await withIndexModes(repository), (await readIndex(repository)) ?? []);
  const removed = new Set(changes.flatMap(({ path, newer }) => (newer ? [] : [path])));
  const lost = new Set<string>();
  const steps: MoveStep[] = [];
  for (const change of changes) {
    repository.signal.throwIfAborted();
    const { found, inTheWay } = await looking.at(change);
    if (found === 'other' && inTheWay.length === 0) lost.add(change.path);
    for (const path of inTheWay) if (!removed.has(path)) lost.add(path);
    steps.push({ ...change, found });
  }
  if (lost.size > 0 && !force) throw wouldBeLost(what, [...lost].sort());
  return steps;
}

/** Looks at the files of one working tree, and follows no link. */
class Looking {
  readonly #repository: Repository;
  readonly #calls: GitFileCalls;
  readonly #index: ReadonlyMap<string, IndexEntry>;

  constructor(repository: Repository, index: readonly IndexEntry[]) {
    this.#repository = repository;
    this.#calls = repository.at.fs.promises;
    this.#index = new Map(index.map((entry) => [entry.path, entry]));
  }

  /** `inTheWay` are the files that stand where a directory is to be, or in a directory that is to be a file. */
  async at({ path, older, newer }: PathChange): Promise<{ found: MoveStep['found']; inTheWay: string[] }> {
    const above = await this.#notDirectoryAbove(path);
    if (above !== undefined) return { found: 'nothing', inTheWay: newer && above !== '' ? [above] : [] };
    const stat = await this.#stat(path);
    if (!stat) return { found: 'nothing', inTheWay: [] };
    if (newer && (await this.#isSame(path, newer, stat))) return { found: 'newer', inTheWay: [] };
    if (older && (await this.#isSame(path, older, stat))) {
      // A submodule that goes may hold files of its own.
      const isLeft = older.mode === submoduleMode && newer !== undefined && newer.mode !== submoduleMode;
      return { found: 'older', inTheWay: isLeft ? await this.#filesIn(path) : [] };
    }
    if (!stat.isDirectory()) return { found: 'other', inTheWay: [] };
    if (!newer) return { found: 'nothing', inTheWay: [] };
    return { found: 'nothing', inTheWay: await this.#filesIn(path) };
  }

  /** The first of the directories above a path that is none; empty where it is missing. */
  async #notDirectoryAbove(path: string): Promise<string | undefined> {
    const names = path.split('/');
    for (let count = 1; count < names.length; count++) {
      const above = names.slice(0, count).join('/');
      const stat = await this.#stat(above);
      if (!stat) return '';
      if (!stat.isDirectory()) return above;
    }
    return undefined;
  }

  async #filesIn(path: string): Promise<string[]> {
    const files: string[] = [];
    for (const name of await this.#calls.readdir(`${this.#repository.at.dir}/${path}`)) {
      const below = `${path}/${name}`;
      const isDirectory = (await this.#stat(below))?.isDirectory() ?? false;
      files.push(...(isDirectory ? await this.#filesIn(below) : [below]));
    }
    return files;
  }

  async #stat(path: string): Promise<GitFileStat | undefined> {
    return this.#calls.lstat(`${this.#repository.at.dir}/${path}`).catch((error) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
  }

  async #isSame(path: string, { oid, mode }: TreeFile, stat: GitFileStat): Promise<boolean> {
    if (mode === submoduleMode) return stat.isDirectory();
    if (stat.isSymbolicLink() !== (mode === linkMode)) return false;
    const full = `${this.#repository.at.dir}/${path}`;
    if (mode === linkMode) return hashBlob(encoder.encode(await this.#calls.readlink(full))) === oid;
    if (!stat.isFile() || ((stat.mode & 0o111) !== 0) !== ((mode & 0o111) !== 0)) return false;
    const entry = this.#index.get(path);
    if (entry?.oid === oid && entry.isSame(stat)) return true;
    const content = await this.#calls.readFile(full);
    if (typeof content === 'string') return false;
    if (hashBlob(content) === oid) return true;
    // As in Windows: what git stores has no carriage returns.
    if ((await this.#repository.setting('core.autocrlf')) !== 'true') return false;
    return hashBlob(withoutReturns(content)) === oid;
  }
}

export function hashBlob(content: Uint8Array): string {
  const header = encoder.encode(`blob ${content.length}\0`);
  const digest = sha1(joinBytes([header, content], header.length + content.length));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function withoutReturns(content: Uint8Array): Uint8Array {
  return content.filter((byte, at) => byte !== 0x0d || content[at + 1] !== 0x0a);
}

function wouldBeLost(what: string, paths: readonly string[]): SandboxError {
  const named = paths.slice(0, namedPaths).map((path) => JSON.stringify(path));
  const more = paths.length > namedPaths ? ` and ${paths.length - namedPaths} more` : '';
  const message = `${what}: your local changes to these files would be overwritten: ${named.join(', ')}${more}`;
  return new SandboxError('conflict', message, { details: { paths, remedy: 'Commit the changes first.' } });
}
