import { fileMode, isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { attempt, type Invocation } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import { ask } from '../streams/ask.ts';
import { openInput, openOutput, pieces } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';

interface CopyStyle {
  readonly isRecursive: boolean;
  /** Follows links: all of them, those that are operands, or none. */
  readonly follows: 'all' | 'operands' | 'none';
  readonly keepsMode: boolean;
  readonly keepsOwner: boolean;
  readonly keepsTimes: boolean;
  /** Names of one file stay names of one file. */
  readonly keepsLinks: boolean;
  readonly overwrites: 'always' | 'newer' | 'never' | 'ask';
  /** Removes a destination that cannot be opened; or any, before it is written. */
  readonly removes: 'on-failure' | 'first' | 'never';
  readonly makes: 'copies' | 'hard-links' | 'symlinks';
  readonly isVerbose: boolean;
}

interface Source {
  readonly from: ShellText;
  readonly to: ShellText;
  readonly isOperand: boolean;
}

/** Copies files, and directories with all that they hold, as `cp` does. */
export class TreeCopier {
  readonly #invocation: Pick<Invocation<never>, 'call' | 'out' | 'warn'>;
  readonly #style: CopyStyle;
  readonly #steps: Steps;
  /** Where a file with several names has been copied to. */
  readonly #copied: Map<Ino, ShellText> = new Map();
  /** Directories that this copy has made: a copy of them would have no end. */
  readonly #made: Set<Ino> = new Set();

  constructor(invocation: Pick<Invocation<never>, 'call' | 'out' | 'warn'>, style: CopyStyle) {
    this.#invocation = invocation;
    this.#style = style;
    this.#steps = new Steps(invocation.call.signal);
  }

  /** Whether all of it is copied; what went wrong has been printed. */
  async copy(from: ShellText, to: ShellText): Promise<boolean> {
    return this.#copy({ from, to, isOperand: true });
  }

  async #copy(source: Source): Promise<boolean> {
    await this.#steps.next();
    const { call } = this.#invocation;
    const { from, to, isOperand } = source;
    const { follows } = this.#style;
    const follow = follows === 'all' || (follows === 'operands' && isOperand);
    let inode: InodeView | undefined;
    const isThere = await attempt(this.#invocation, `cannot stat ${quoteName(from)}`, () => {
      inode = follow ? call.files.stat(pathOf(call, from)) : call.files.lstat(pathOf(call, from));
    });
    if (!isThere || inode === undefined) return false;
    if (isDirectory(inode.mode)) return this.#copyDirectory(source, inode);
    const node = inode;
    let isDone = false;
    const what = `cannot create regular file ${quoteName(to)}`;
    const isTried = await attempt(this.#invocation, what, async () => {
      isDone = await this.#copyFile(source, node);
    });
    return isTried && isDone;
  }

  async #copyDirectory({ from, to, isOperand }: Source, inode: InodeView): Promise<boolean> {
    const { call, out } = this.#invocation;
    if (!this.#style.isRecursive) {
      await this.#invocation.warn(`-r not specified; omitting directory ${quoteName(from)}`);
      return false;
    }
    const isIntoItself = this.#isInside(to, inode.ino);
    if (isIntoItself) {
      await this.#invocation.warn(
        `cannot copy a directory, ${quoteName(from)}, into itself, ${quoteName(to)}`,
      );
      if (isOperand && this.#made.size > 0) return false;
      if (statIfThere(call, to) !== undefined) return false;
    }
    if (this.#made.has(inode.ino)) return true;
    const { ino, mode, uid, gid } = inode;
    const names = [...call.files.readdir(pathOf(call, from))];
    const existing = statIfThere(call, to);
    if (existing && !isDirectory(existing.mode)) {
      await this.#invocation.warn(
        `cannot overwrite non-directory ${quoteName(to)} with directory ${quoteName(from)}`,
      );
      return false;
    }
    if (!existing) {
      const isMade = await attempt(this.#invocation, `cannot create directory ${quoteName(to)}`, () =>
        call.files.mkdir(pathOf(call, to), call, mode & fileMode.permissions),
      );
      if (!isMade) return false;
      this.#made.add(call.files.stat(pathOf(call, to)).ino);
      if (this.#style.isVerbose) out.add(`${quoteName(from)} -> ${quoteName(to)}\n`);
    }
    let isDone = !isIntoItself;
    for (const name of names) {
      const below = { from: joinPath(from, name), to: joinPath(to, name), isOperand: false };
      if (!(await this.#copy(below))) isDone = false;
    }
    const before = call.files.tree.stat(ino) ?? inode;
    if (!existing || this.#style.keepsMode)
      this.#keepAttributes(to, { ...before, mode, uid, gid }, !existing);
    return isDone;
  }

  /** Whether `to` is below the directory. */
  #isInside(to: ShellText, directory: Ino): boolean {
    const { files } = this.#invocation.call;
    for (let path = pathOf(this.#invocation.call, to); ; ) {
      const slash = path.lastIndexOf('/');
      if (slash <= 0) return false;
      path = path.slice(0, slash);
      if (files.exists(path)) {
        for (let at = files.stat(path); ; ) {
          if (at.ino === directory) return true;
          if (at.parent === at.ino) return false;
          const parent = files.tree.stat(at.parent);
          if (parent === undefined) return false;
          at = parent;
        }
      }
    }
  }

  async #copyFile({ from, to }: Source, inode: InodeView): Promise<boolean> {
    const { call, out, warn } = this.#invocation;
    const { ino, mode, nlink } = inode;
    const target = pathOf(call, to);
    const existing = statIfThere(call, to, { follow: this.#style.follows !== 'none' || isFile(mode) });
    if (existing?.ino === ino && existing.ino !== 0 && this.#style.makes === 'copies') {
      await warn(`${quoteName(from)} and ${quoteName(to)} are the same file`);
      return false;
    }
    if (existing && isDirectory(existing.mode)) {
      await warn(`cannot overwrite directory ${quoteName(to)} with non-directory`);
      return false;
    }
    if (existing && !(await this.#mayOverwrite(to, existing, inode))) return true;
    const first = this.#style.keepsLinks && nlink > 1 ? this.#copied.get(ino) : undefined;
    const isReplaced = first !== undefined || isSymlink(mode) || this.#style.makes !== 'copies';
    const isNode = !isFile(mode) && !isSymlink(mode) && this.#style.isRecursive;
    if (existing && (isReplaced || isNode || this.#style.removes === 'first')) call.files.unlink(target);
    if (first !== undefined) call.files.link(pathOf(call, first), target);
    else if (this.#style.makes === 'hard-links') call.files.link(pathOf(call, from), target);
    else if (this.#style.makes === 'symlinks') call.files.symlink(from, target, call);
    else if (isSymlink(mode)) call.files.symlink(call.files.readlink(pathOf(call, from)), target, call);
    else if (isNode) call.files.mknod(target, call, { mode, rdev: inode.rdev });
    else if (!(await this.#copyContent(from, to, existing === undefined ? mode : undefined))) return false;
    if (this.#style.keepsLinks && nlink > 1 && first === undefined) this.#copied.set(ino, to);
    if (this.#style.makes === 'copies' && first === undefined) {
      const source = call.files.tree.stat(ino) ?? inode;
      this.#keepAttributes(to, source, false);
    }
    if (this.#style.isVerbose) await out.write(`${quoteName(from)} -> ${quoteName(to)}\n`);
    return true;
  }

  async #mayOverwrite(to: ShellText, existing: InodeView, source: InodeView): Promise<boolean> {
    switch (this.#style.overwrites) {
      case 'never':
        return false;
      case 'newer': {
        const seconds = source.mtimeSeconds - existing.mtimeSeconds;
        return seconds > 0 || (seconds === 0 && source.mtimeNanoseconds > existing.mtimeNanoseconds);
      }
      case 'ask':
        return ask(this.#invocation.call, `overwrite ${quoteName(to)}?`);
      default:
        return true;
    }
  }

  async #copyContent(from: ShellText, to: ShellText, mode: number | undefined): Promise<boolean> {
    const { call } = this.#invocation;
    const input = openInput(call, from === '-' ? './-' : from);
    try {
      const output = openOutput(call, to);
      try {
        for await (const piece of pieces(input, call.signal)) await output.write(piece, call.signal);
      } finally {
        output.release();
      }
      if (mode !== undefined && isFile(call.files.stat(pathOf(call, to)).mode)) {
        call.files.chmod(pathOf(call, to), mode & 0o777 & ~call.umask);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ShellError) || error.code !== 'EISDIR') throw error;
      await this.#invocation.warn(`cannot create regular file ${quoteName(to)}: Not a directory`);
      return false;
    } finally {
      input.release();
    }
  }

  #keepAttributes(to: ShellText, source: InodeView, isMadeDirectory: boolean): void {
    const { call } = this.#invocation;
    const { keepsMode, keepsOwner, keepsTimes } = this.#style;
    const path = pathOf(call, to);
    const isLink = isSymlink(source.mode);
    const { mode, uid, gid, atimeSeconds, atimeNanoseconds, mtimeSeconds, mtimeNanoseconds } = source;
    if (keepsOwner) call.files.chown(path, { uid, gid, follow: !isLink });
    if (!isLink && keepsMode) call.files.chmod(path, mode & 0o7777);
    else if (isMadeDirectory)
      call.files.chmod(path, (call.files.stat(path).mode & 0o2000) | (mode & 0o1777 & ~call.umask));
    if (!keepsTimes) return;
    call.files.utimes(path, {
      atime: { seconds: atimeSeconds, nanoseconds: atimeNanoseconds },
      mtime: { seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds },
      follow: !isLink,
    });
  }
}
