import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { isFile } from '../../../tree/live/file-mode.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { cannot, hostPath, isGone } from './folder-entry.ts';
import { type IgnoreRules, ignoreFileName, parseIgnoreRules } from './ignore-rules.ts';
import { folderLimits } from './limits.ts';

interface FoundPath {
  readonly isDirectory: boolean;
  /** Whether the tree has it. */
  readonly isKnown: boolean;
}

/**
 * What a look leaves out, by the rules of the newest snapshot and by those that the folder has now: whoever takes a rule away has not thereby put what it left
 * out into the history, and whoever makes one has not thereby hidden what becomes of files that the history has.
 */
export class FolderRules {
  readonly #before: IgnoreRules;
  readonly #now: IgnoreRules;
  readonly #changed: Set<ByteString>;

  /** Paths that are left out from now on, and were not as HEAD has them at an earlier look, are in `changed`. */
  constructor({
    before,
    now,
    changed = new Set(),
  }: {
    readonly before: IgnoreRules;
    readonly now: IgnoreRules;
    readonly changed?: Set<ByteString>;
  }) {
    this.#before = before;
    this.#now = now;
    this.#changed = changed;
  }

  isLeftOut(path: ByteString, { isDirectory, isKnown }: FoundPath): boolean {
    if (path === ignoreFileName) return false;
    if (this.#before(path, { isDirectory })) return true;
    return !isKnown && this.#before !== this.#now && this.#now(path, { isDirectory });
  }

  /** Whether a path that is left out from now on stays in the tree, as somebody has changed it: once more as it was found. */
  staysOnce(path: ByteString, { isChanged }: { readonly isChanged: boolean }): boolean {
    if (isChanged) this.#changed.add(path);
    return this.#changed.has(path);
  }

  /** For a write to a state with the rules `next`, which are as good as those of before. */
  writeRules(next: IgnoreRules): WriteRules {
    return (path, kind) => {
      if (path === ignoreFileName) return 'all';
      if (this.#before(path, kind) || next(path, kind)) return 'absent';
      return this.#now(path, kind) ? 'known' : 'all';
    };
  }

  /** Whether the history leaves it out from now on. */
  isLeaving(path: ByteString, { isDirectory }: Pick<FoundPath, 'isDirectory'>): boolean {
    if (path === ignoreFileName || this.#before === this.#now) return false;
    return this.#now(path, { isDirectory }) && !this.#before(path, { isDirectory });
  }
}

/**
 * What a write may do at a path: all; all that the look before has taken in (`known`), and else make it where nothing is; only that (`absent`); nothing at all.
 */
export type WriteReach = 'all' | 'known' | 'absent' | 'none';

export type WriteRules = (path: ByteString, options: { readonly isDirectory: boolean }) => WriteReach;

/** Rules, and the text that they were read from. */
export interface ReadRules {
  readonly text: string;
  readonly isIgnored: IgnoreRules;
}

export const noRules: ReadRules = { text: '', isIgnored: () => false };

/** The rules that a folder has. @throws invalid-argument, limit-exceeded, with what helps */
export function rulesOnDisk(folder: ByteString): ReadRules {
  const text = readRules(`${folder}/${ignoreFileName}`);
  return text === undefined ? noRules : { text, isIgnored: parseIgnoreRules(text) };
}

/** The rules that a state of the folder has; `undefined` of those that cannot be kept, such as of a merge that somebody has to finish. */
export function rulesInTree(tree: LiveTree): ReadRules | undefined {
  const ino = tree.lookup(tree.root, ignoreFileName);
  const inode = tree.stat(ino);
  if (!inode || !isFile(inode.mode)) return noRules;
  const bytes = Buffer.alloc(Math.min(inode.sizeBytes, folderLimits.ignoreBytes + 1));
  return tree.read(ino, 0, bytes) === bytes.length ? rulesOfText(bytes.toString()) : undefined;
}

/** Those of the last look that was not an agent's: what an agent takes away stays left out until a person has changed the file. None where that is not noted. */
export function keptRules(path: string): ReadRules {
  try {
    return rulesOfText(readFileSync(path, 'utf8')) ?? noRules;
  } catch {
    return noRules;
  }
}

function rulesOfText(text: string): ReadRules | undefined {
  try {
    return { text, isIgnored: parseIgnoreRules(text) };
  } catch {
    return undefined;
  }
}

/** Anybody may have put something else in its place: no link is followed, and no pipe waited for. */
function readRules(path: ByteString): string | undefined {
  const shown = toDisplayText(path);
  try {
    const file = openSync(
      hostPath(path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    try {
      if (!fstatSync(file).isFile()) throw notAFile(shown);
      const bytes = Buffer.alloc(folderLimits.ignoreBytes + 1);
      const size = readSync(file, bytes, 0, bytes.length, 0);
      if (size <= folderLimits.ignoreBytes) return bytes.toString('utf8', 0, size);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    if (isGone(error)) return undefined;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw code === 'ELOOP' || code === 'ENXIO' ? notAFile(shown) : cannot('read', path, error);
  }
  const message = `${shown} has more than ${folderLimits.ignoreBytes} bytes: name directories in it instead of single files`;
  throw new SandboxError('limit-exceeded', message);
}

function notAFile(path: string): SandboxError {
  const message = `${path} is not a file of its own, but a link, a directory, a pipe or a device: put the rules into a file there, or remove it`;
  return new SandboxError('invalid-argument', message);
}
