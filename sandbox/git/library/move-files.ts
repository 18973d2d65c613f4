import { SandboxError } from '../../../protocol/errors.ts';
import { type ConflictSides, changedIndex, type IndexChange } from './index-file.ts';
import { linkMode, type MoveStep, planMove, submoduleMode } from './plan-move.ts';
import type { Repository } from './repository.ts';
import { directoriesAbove, type PathChange, type TreeFile } from './tree-changes.ts';

interface FileMove {
  /** From what HEAD or the index has to what the files are to be. */
  readonly changes: readonly PathChange[];
  /** Of paths with a conflict: what the index gets instead of the newer file. */
  readonly sides?: ReadonlyMap<string, ConflictSides>;
  /** Overwrites what is on neither side of a change. */
  readonly force?: boolean;
  /** What comes after files and index: where branch and HEAD are. */
  readonly finish: (lasting: Repository) => Promise<void>;
  readonly what: string;
}

/** Of Linux, where something stands in the way: a program has put it there since the files were looked at. */
const inTheWay = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY']);

/**
 * Moves the working tree from one side of some changes to the other: removes files, then writes, then the index, then HEAD.
 * Whatever fails or is aborted, files that were as on the older side are so again, and index and HEAD are as they were.
 * @throws conflict, before anything is changed, for files that are on neither side; storage-full, and what the library throws
 */
export async function moveFiles(
  repository: Repository,
  { changes, sides = new Map(), force = false, finish, what }: FileMove,
): Promise<void> {
  const steps = await planMove(repository, { changes, force, what });
  // Once the files are written, the rest follows, and what was begun is undone, whatever is aborted meanwhile.
  const lasting = repository.lasting();
  const mover = new Mover(repository, { steps, force });
  const { promises } = lasting.at.fs;
  const indexPath = `${lasting.at.dir}/.git/index`;
  const index = await readIfThere(lasting, indexPath);
  let isIndexBegun = false;
  try {
    await mover.run();
    repository.signal.throwIfAborted();
    const content = changedIndex(
      index,
      (await mover.indexChanges()).map((change) => ({ ...change, sides: sides.get(change.path) })),
    );
    isIndexBegun = true;
    await promises.writeFile(indexPath, content);
    await finish(lasting);
  } catch (error) {
    await new Mover(lasting, { steps, force }).undo(mover.begun);
    if (isIndexBegun) {
      await (index ? promises.writeFile(indexPath, index) : promises.unlink(indexPath)).catch(
        () => undefined,
      );
    }
    throw error;
  }
}

class Mover {
  readonly #repository: Repository;
  readonly #steps: readonly MoveStep[];
  readonly #force: boolean;
  /** Directories that hold something afterwards: they are not removed in between. */
  readonly #needed = new Set<string>();
  readonly begun: MoveStep[] = [];

  constructor(
    repository: Repository,
    options: { readonly steps: readonly MoveStep[]; readonly force: boolean },
  ) {
    this.#repository = repository;
    this.#steps = [...options.steps].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.#force = options.force;
    for (const { path, newer } of this.#steps)
      if (newer) for (const above of directoriesAbove(path)) this.#needed.add(above);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.toReversed()) {
      if (step.newer || step.found === 'nothing') continue;
      await this.#begin(step, () => this.#remove(step.path));
    }
    for (const step of this.#steps) {
      const { path, newer, found } = step;
      if (newer && found !== 'newer') await this.#begin(step, () => this.#write(path, newer));
    }
  }

  /** Puts back what was as on the older side, and removes what was not there. */
  async undo(begun: readonly MoveStep[]): Promise<void> {
    this.#needed.clear();
    // One that cannot be put back keeps none of the others from it.
    for (const { path, newer } of begun.toReversed()) {
      if (newer) await this.#remove(path).catch(() => undefined);
    }
    for (const { path, older, found } of begun) {
      const wasOlder = found === 'older' || (found === 'other' && this.#force);
      if (older && wasOlder) await this.#write(path, older).catch(() => undefined);
    }
  }

  async indexChanges(): Promise<IndexChange[]> {
    const { promises } = this.#repository.at.fs;
    return Promise.all(
      this.#steps.map(async ({ path, newer }) =>
        newer ? { path, file: newer, stat: await promises.lstat(this.#full(path)) } : { path },
      ),
    );
  }

  async #begin(step: MoveStep, work: () => Promise<void>): Promise<void> {
    this.begun.push(step);
    try {
      await work();
    } catch (error) {
      const { code = '' } = error as { readonly code?: string };
      if (!inTheWay.has(code)) throw error;
      const { path } = step;
      throw new SandboxError('conflict', `something is in the way of ${JSON.stringify(path)}`, {
        cause: error,
        details: { path, remedy: 'Move it away, and try again.' },
      });
    }
  }

  /** Removes a file, and the directories that are empty then. */
  async #remove(path: string): Promise<void> {
    const { promises } = this.#repository.at.fs;
    const kind = await this.#kindOf(path);
    // One of a submodule that holds something stays, as with git.
    if (kind === 'directory') await this.#removeIfEmpty(path);
    if (kind === 'other') await promises.unlink(this.#full(path));
    for (const above of directoriesAbove(path)) {
      if (this.#needed.has(above) || (await this.#kindOf(above)) !== 'directory') return;
      if (!(await this.#removeIfEmpty(above))) return;
    }
  }

  async #removeIfEmpty(path: string): Promise<boolean> {
    try {
      await this.#repository.at.fs.promises.rmdir(this.#full(path));
      return true;
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'ENOTEMPTY') return false;
      throw error;
    }
  }

  async #write(path: string, { oid, mode }: TreeFile): Promise<void> {
    const { library, at } = this.#repository;
    const { promises } = at.fs;
    for (const above of directoriesAbove(path).toReversed()) await this.#makeDirectory(above);
    if (mode === submoduleMode) return this.#makeDirectory(path);
    await this.#clear(path);
    const { blob } = await library.readBlob({ ...at, oid });
    const full = this.#full(path);
    if (mode === linkMode) await promises.symlink(new TextDecoder().decode(blob), full);
    else await promises.writeFile(full, blob, { mode: mode & 0o111 ? 0o777 : 0o666 });
  }

  async #makeDirectory(path: string): Promise<void> {
    const { promises } = this.#repository.at.fs;
    const kind = await this.#kindOf(path);
    if (kind === 'other' && this.#force) await promises.unlink(this.#full(path));
    // What else stands there is refused by what is to be written below it.
    if (kind === 'nothing' || (kind === 'other' && this.#force)) await promises.mkdir(this.#full(path));
  }

  /** Removes what stands at a path: of a directory, without `force`, only one without files. */
  async #clear(path: string): Promise<void> {
    const { promises } = this.#repository.at.fs;
    const kind = await this.#kindOf(path);
    if (kind === 'nothing') return;
    if (kind === 'other') return promises.unlink(this.#full(path));
    for (const name of await promises.readdir(this.#full(path))) {
      const below = `${path}/${name}`;
      if (this.#force || (await this.#kindOf(below)) === 'directory') await this.#clear(below);
    }
    await promises.rmdir(this.#full(path));
  }

  async #kindOf(path: string): Promise<'directory' | 'other' | 'nothing'> {
    try {
      const stat = await this.#repository.at.fs.promises.lstat(this.#full(path));
      return stat.isDirectory() ? 'directory' : 'other';
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
      throw error;
    }
  }

  #full(path: string): string {
    return `${this.#repository.at.dir}/${path}`;
  }
}

async function readIfThere({ at }: Repository, path: string): Promise<Uint8Array | undefined> {
  try {
    const content = await at.fs.promises.readFile(path);
    return typeof content === 'string' || content.length === 0 ? undefined : content;
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}
