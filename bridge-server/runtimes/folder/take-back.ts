import { chmodSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { isErrno } from '../../stores/disk-error.ts';
import { asideName, moveAway, moveExclusive, nameOf, parentOf } from './aside.ts';
import { fileKey, findWriters } from './find-writers.ts';
import { hostPath, looksSame, statOf } from './folder-entry.ts';
import { isAsInTree } from './has-bytes.ts';
import { folderLimits } from './limits.ts';
import type { OpenFolder } from './open-folder.ts';
import { changedMeanwhile } from './plan-write.ts';
import { setMetadata, setOwnMetadata } from './replace-entry.ts';
import type { WritableDirectories } from './writable-directories.ts';
import type { BegunStep, WriteOptions, WriteProbe } from './write-options.ts';

interface TakeBackOptions extends Omit<WriteOptions, 'before'> {
  readonly id: string;
  readonly before: LiveTree;
  readonly writable: WritableDirectories;
  /** Those that were begun, in their order. */
  readonly steps: readonly BegunStep[];
  readonly cause: SandboxError;
}

/** A file of ours that is in nobody's way, and what it has to be in order to be deleted. */
export interface AsideFile {
  /** Where it is, below the folder. */
  readonly at: ByteString;
  /** The path that it belongs to. */
  readonly path: ByteString;
  readonly isKnown: (at: ByteString) => boolean;
}

/** Puts a folder back, and `tree` to `before`, after a write that failed; answers that failure, and what has become of the folder. */
export function takeBack(tree: LiveTree, options: TakeBackOptions): SandboxError {
  const { before, steps, cause } = options;
  const content = options.content ? { content: options.content } : {};
  const written = LiveTree.from(tree.snapshot(), { ...content, readOnly: true });
  const taker = new TakeBack(written, options);
  tree.restore(before.snapshot());
  const left = steps.toReversed().flatMap((step) => (taker.takeBack(step) ? [] : [step.path]));
  const kept = discardAside(taker.aside, options).map((path) => `/${path}`);
  options.writable.close();
  const paths = left.map(toDisplayText);
  const [first] = paths;
  const result =
    first === undefined
      ? steps.length === 0
        ? 'Nothing was changed'
        : 'What was changed until then was put back'
      : `${paths.length} paths could not be put back, such as /${first}: they are as somebody wrote them meanwhile, or as the snapshot has them`;
  const [firstKept] = kept;
  const told =
    firstKept === undefined
      ? ''
      : `. What was written meanwhile to a file that had been moved is at ${toDisplayText(firstKept)}${kept.length > 1 ? ` and ${kept.length - 1} more such paths` : ''}`;
  return new SandboxError(cause.code, `${cause.message}. ${result}${told}`, {
    cause,
    details: {
      ...cause.details,
      notPutBack: paths.slice(0, 100),
      kept: kept.slice(0, 100).map(toDisplayText),
      isPutBack: !taker.hasFailed,
    },
  });
}

/** Deletes what is in a snapshot and nobody can write to; the rest is kept beside its path. Answers where. */
export function discardAside(
  aside: readonly AsideFile[],
  {
    folder,
    id,
    probe,
  }: { readonly folder: OpenFolder; readonly id: string; readonly probe?: WriteProbe | undefined },
): ByteString[] {
  const present = aside.flatMap((each) => {
    const at = folder.at(each.at);
    const stat = at === undefined ? undefined : statOf(at);
    return stat ? [{ ...each, key: fileKey(stat) }] : [];
  });
  const writers = findWriters(
    present.map(({ key, at }) => ({ key, name: nameOf(at) })),
    probe?.processes,
  );
  return present.flatMap(({ at, path, key, isKnown }) => {
    const where = folder.at(at);
    if (where === undefined) return [];
    if (writers.has(key) || !isCertain(() => isKnown(where))) return [keepBeside(folder, { at, path, id })];
    rmSync(hostPath(where), { force: true });
    return [];
  });
}

/** Leaves it beside the path that it belongs to, by a name that says so; answers the name. It stays where it is where somebody is in the way of that. */
function keepBeside(
  folder: OpenFolder,
  { at, path, id }: { readonly at: ByteString; readonly path: ByteString; readonly id: string },
): ByteString {
  for (let count = 0; count < folderLimits.keptNames; count++) {
    const name = `${nameOf(path).slice(0, 200)}.kept-${id}${count === 0 ? '' : `-${count}`}`;
    const holder = folder.directory(parentOf(path)).at === undefined ? parentOf(at) : parentOf(path);
    const to = holder === '' ? name : `${holder}/${name}`;
    const [source, target] = [folder.at(at), folder.at(to)];
    if (source === undefined) return at;
    if (target !== undefined && isCertain(() => moveExclusive(source, target))) return to;
  }
  return at;
}

/** What the disk refuses is not so: what cannot be compared is not deleted. */
function isCertain(is: () => boolean): boolean {
  try {
    return is();
  } catch {
    return false;
  }
}

class TakeBack {
  readonly aside: AsideFile[] = [];
  /** Whether something is not as it was for want of the disk, not for what somebody has done. */
  hasFailed = false;
  readonly #written: LiveTree;
  readonly #options: TakeBackOptions;

  constructor(written: LiveTree, options: TakeBackOptions) {
    this.#written = written;
    this.#options = options;
  }

  /** Answers whether the path is as it was. */
  takeBack(step: BegunStep): boolean {
    this.#options.probe?.between?.();
    try {
      const at = this.#hostPath(step.path);
      if (step.type === 'metadata') return this.#metadata(step, at);
      return step.isDirectory ? this.#directory(step, at) : this.#file(step, at);
    } catch (error) {
      const isOthers = error instanceof SandboxError && error.code === 'conflict';
      this.hasFailed ||= !isOthers && !isErrno(error, 'ENOTEMPTY') && !isErrno(error, 'EEXIST');
      return false;
    } finally {
      if (step.old !== undefined) this.#setAside(step.old, step.path, this.#options.before, step.beforeIno);
    }
  }

  #metadata({ path, isDone, ino, beforeIno, isDirectory }: BegunStep, at: ByteString): boolean {
    if (!isDone) return true;
    const [old, made, stat] = [this.#options.before.stat(beforeIno), this.#written.stat(ino), statOf(at)];
    if (!made || !stat || !(isDirectory ? stat.isDirectory() : looksSame(stat, made))) return false;
    const { folder, writable } = this.#options;
    if (old) setOwnMetadata(folder, at, isDirectory ? writable.opened(path, old) : old);
    // So that what is in it can be removed.
    else chmodSync(hostPath(at), 0o700);
    return true;
  }

  #directory({ type, isDone, beforeIno, path }: BegunStep, at: ByteString): boolean {
    if (!isDone) return true;
    this.#options.folder.forget(path);
    if (type === 'write') {
      rmdirSync(hostPath(at));
      return true;
    }
    const old = this.#options.before.stat(beforeIno);
    if (!statOf(at)) mkdirSync(hostPath(at));
    if (old && statOf(at)?.isDirectory()) setMetadata(hostPath(at), this.#options.writable.opened(path, old));
    return true;
  }

  #file(step: BegunStep, at: ByteString): boolean {
    if (step.made !== undefined && !this.#removeMade(step, at)) return false;
    this.#options.probe?.between?.();
    if (step.old === undefined) return true;
    return moveExclusive(this.#hostPath(step.old), at);
  }

  /** What was put there goes, unless somebody has written to it, or has put something else there. */
  #removeMade({ path, made, index, holder, ino }: BegunStep, at: ByteString): boolean {
    const inode = this.#written.stat(ino);
    const isMade = (path: ByteString) => {
      const stat = statOf(path);
      return Boolean(stat && inode && fileKey(stat) === made && looksSame(stat, inode));
    };
    if (!isMade(at)) return false;
    this.#options.probe?.between?.();
    const name = asideName(this.#options.id, index, 'back');
    const below = holder === '' ? name : `${holder}/${name}`;
    const back = this.#hostPath(below);
    if (!moveAway(at, back)) return false;
    this.#options.probe?.between?.();
    if (isMade(back)) {
      this.#setAside(below, path, this.#written, ino);
      return true;
    }
    if (!moveExclusive(back, at)) this.#setAside(below, path, this.#written, ino);
    return false;
  }

  #setAside(at: ByteString, path: ByteString, tree: LiveTree, ino: number): void {
    this.aside.push({ at, path, isKnown: (where) => isAsInTree(where, tree, ino) });
  }

  #hostPath(path: ByteString): ByteString {
    const at = this.#options.folder.at(path);
    if (at === undefined) throw changedMeanwhile(path);
    return at;
  }
}
