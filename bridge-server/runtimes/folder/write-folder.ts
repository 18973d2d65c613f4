import { randomBytes } from 'node:crypto';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { isSymlink } from '../../../tree/live/file-mode.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { isErrno } from '../../stores/disk-error.ts';
import { type AsideKind, asideName, moveAway, nameOf, parentOf, placeExclusive } from './aside.ts';
import { fileKey, findWriters, type NamedFile, type Writer } from './find-writers.ts';
import { flushWritten } from './flush-written.ts';
import { cannot, hostPath, looksSame, statOf } from './folder-entry.ts';
import { isAsInTree } from './has-bytes.ts';
import { assertUnchanged, changedMeanwhile, holdersOf, planWrite, type WriteStep } from './plan-write.ts';
import { makeEntry, setOwnMetadata } from './replace-entry.ts';
import { takeBack } from './take-back.ts';
import { WritableDirectories } from './writable-directories.ts';
import type { BegunStep, WriteOptions } from './write-options.ts';

/**
 * Makes a folder of the host what `tree` has, by writing what differs, so that no byte is lost that another program writes there meanwhile. What is to
 * be replaced is moved aside, and the new file gets the name only if nobody has made another. Nothing of what is aside is deleted before all is
 * done, no process can write to it any more, and it is what `before` has. Where that fails, all is put back, and `tree` is at `before`.
 * @throws conflict where a file was changed, or is open for writing, or one that is left out of the history is in the way; storage-full,
 * forbidden. The message says what has become of the folder, and `details.isPutBack` whether it is settled
 */
export async function writeFolder(tree: LiveTree, options: WriteOptions): Promise<void> {
  await new FolderWriter(tree, options).write();
}

class FolderWriter {
  readonly #tree: LiveTree;
  readonly #before: LiveTree;
  readonly #options: WriteOptions;
  readonly #id = randomBytes(6).toString('hex');
  readonly #slices = new WorkSlices();
  readonly #writable: WritableDirectories;
  readonly #begun: BegunStep[] = [];

  constructor(tree: LiveTree, options: WriteOptions) {
    this.#tree = tree;
    const { before, content } = options;
    this.#before = LiveTree.from(before, { readOnly: true, ...(content ? { content } : {}) });
    this.#options = options;
    this.#writable = new WritableDirectories(options.folder);
  }

  async write(): Promise<void> {
    const { folder, rules, begin, moveHead, probe } = this.#options;
    try {
      const steps = await planWrite({ folder, rules, before: this.#before, tree: this.#tree });
      this.#assertNotOpen(steps);
      const holders = holdersOf(steps);
      const paths = steps.map(({ path }) => path);
      if (steps.length > 0) begin?.({ id: this.#id, paths, holders: [...new Set(holders)] });
      for (const path of holding(steps, holders)) this.#writable.open(path);
      for (const [index, step] of steps.entries()) {
        this.#between();
        this.#apply({ ...step, index, holder: holders[index] ?? '' });
        await this.#slices.end();
      }
      this.#between();
      // A power cut must not leave empty files where HEAD and no intention say that all is done.
      if (probe?.flush) probe.flush();
      else await flushWritten(folder, paths);
      this.#assertLeftAlone();
      await moveHead?.();
    } catch (error) {
      throw takeBack(this.#tree, {
        ...this.#options,
        id: this.#id,
        writable: this.#writable,
        before: this.#before,
        steps: this.#begun,
        cause: SandboxError.from(error),
      });
    }
    for (const { old } of this.#begun) {
      this.#between();
      if (old !== undefined) this.#discard(old);
    }
    this.#writable.close();
    this.#between();
  }

  /** All is done by now: what somebody has moved or locked away is theirs. */
  #discard(old: ByteString): void {
    try {
      rmSync(hostPath(this.#hostPath(old)), { force: true });
    } catch {
      // The next snapshot has it.
    }
  }

  /** A file that a process has open goes on being written after it has lost its name. @throws conflict */
  #assertNotOpen(steps: readonly WriteStep[]): void {
    const files: (NamedFile & { readonly path: ByteString })[] = [];
    for (const { type, path, isDirectory } of steps) {
      const at = type === 'metadata' || isDirectory ? undefined : this.#options.folder.at(path);
      const stat = at === undefined ? undefined : statOf(at);
      if (stat?.isFile()) files.push({ key: fileKey(stat), name: nameOf(path), path });
    }
    this.#assertNoWriter(files);
  }

  #assertNoWriter(files: readonly (NamedFile & { readonly path: ByteString })[]): void {
    for (const [key, writer] of findWriters(files, this.#options.probe?.processes))
      throw openElsewhere(files.find((file) => file.key === key)?.path ?? '', writer);
  }

  #apply(step: BegunStep): void {
    // First, so that one that is half made is put back as well.
    this.#begun.push(step);
    try {
      if (step.type === 'metadata') this.#setMetadata(step);
      else if (step.isDirectory) this.#directory(step);
      else this.#file(step);
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      // Something else is there now, or nothing, where the plan found a file or a directory.
      if (otherKind.some((code) => isErrno(error, code))) throw changedMeanwhile(step.path);
      throw cannot('write', step.path, error);
    }
  }

  #setMetadata(step: BegunStep): void {
    const [inode, before] = [this.#tree.stat(step.ino), this.#before.stat(step.beforeIno)];
    if (!inode) return;
    const path = this.#hostPath(step.path);
    if (before) assertUnchanged(statOf(path), step.path, before);
    const given = step.isDirectory ? this.#writable.opened(step.path, inode) : inode;
    setOwnMetadata(this.#options.folder, path, given);
    step.isDone = true;
  }

  #directory(step: BegunStep): void {
    const path = hostPath(this.#hostPath(step.path));
    try {
      if (step.type === 'write') mkdirSync(path);
      else rmdirSync(path);
      step.isDone = true;
      this.#options.folder.forget(step.path);
    } catch (error) {
      // What is left out of the history stays, as does what somebody has made meanwhile, and the directory that it is in.
      const stays = step.type === 'remove' && (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST'));
      const isThere = step.type === 'write' && statOf(this.#hostPath(step.path))?.isDirectory();
      if (!stays && !isThere) throw error;
    }
  }

  #file(step: BegunStep): void {
    const path = this.#hostPath(step.path);
    const made = this.#hostPath(this.#aside(step, 'new'));
    const inode = this.#tree.stat(step.ino);
    try {
      if (inode) makeEntry(this.#tree, made, step.ino);
      this.#between();
      const before = this.#before.stat(step.beforeIno);
      if (before) {
        assertUnchanged(statOf(path), step.path, before);
        this.#between();
        const old = this.#aside(step, 'old');
        if (!moveAway(path, this.#hostPath(old))) throw changedMeanwhile(step.path);
        step.old = old;
        this.#between();
        const stat = statOf(this.#hostPath(old));
        if (!stat || !looksSame(stat, before)) throw changedMeanwhile(step.path);
      }
      if (!inode) return;
      this.#between();
      const stat = statOf(made);
      if (!placeExclusive(made, path)) throw changedMeanwhile(step.path);
      // A link is made anew.
      const placed = isSymlink(inode.mode) ? statOf(path) : stat;
      if (placed) step.made = fileKey(placed);
      this.#between();
    } finally {
      rmSync(hostPath(made), { force: true });
    }
  }

  /** @throws conflict where a process can still write to what is aside, or has written to it */
  #assertLeftAlone(): void {
    const aside = this.#begun.flatMap(({ path, old, beforeIno }) =>
      old === undefined ? [] : [{ path, old, beforeIno, stat: statOf(this.#hostPath(old)) }],
    );
    // First: whoever has none of them open now cannot open it, as nobody knows its name.
    this.#assertNoWriter(
      aside.flatMap(({ path, old, stat }) => (stat ? [{ key: fileKey(stat), name: nameOf(old), path }] : [])),
    );
    for (const { path, old, beforeIno } of aside) {
      this.#between();
      if (!isAsInTree(this.#hostPath(old), this.#before, beforeIno)) throw changedMeanwhile(path);
    }
  }

  #aside({ holder, index }: BegunStep, kind: AsideKind): ByteString {
    const name = asideName(this.#id, index, kind);
    return holder === '' ? name : `${holder}/${name}`;
  }

  #hostPath(path: ByteString): ByteString {
    const at = this.#options.folder.at(path);
    if (at === undefined) throw changedMeanwhile(path);
    return at;
  }

  #between(): void {
    this.#options.probe?.between?.();
  }
}

const otherKind = ['EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY'];

/** The directories in which the steps change names. */
function holding(steps: readonly WriteStep[], holders: readonly ByteString[]): ReadonlySet<ByteString> {
  const changed = steps.filter(({ type }) => type !== 'metadata').map(({ path }) => parentOf(path));
  return new Set([...holders, ...changed]);
}

function openElsewhere(path: ByteString, { pid, name }: Writer): SandboxError {
  const shown = toDisplayText(path);
  const message = `Cannot put the files back: process ${pid} (${name}) has /${shown} open for writing, and what it writes would be lost. End it first, or name the file in .coppiceignore`;
  return new SandboxError('conflict', message, { details: { path: shown, pid } });
}
