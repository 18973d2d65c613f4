import { treeLimits } from '../../tree/limits.ts';
import { isDirectory, isFile } from '../../tree/live/file-mode.ts';
import type { InodeView } from '../../tree/live/file-tree.ts';
import { absolutePath, type TreeFiles } from '../files/tree-files.ts';
import type { Program, Programs } from '../programs/program.ts';
import { ShellError } from '../shell-error.ts';
import { decodeText, type ShellText } from '../text.ts';
import { programOfText } from './program-files.ts';

/** What a path runs. */
export type Executable =
  | { readonly type: 'program'; readonly program: Program }
  | { readonly type: 'shell' }
  | { readonly type: 'script'; readonly interpreter: readonly ShellText[] }
  /** Text without `#!`: the shell that wanted to run it reads it. */
  | { readonly type: 'text' }
  | { readonly type: 'binary' };

/** Where programs look for another one when their environment has no `PATH` (execvp(3)). */
export const pathOfNone: ShellText = '/bin:/usr/bin';

/** Where programs are though the tree has no file there. */
const programDirectories: ReadonlySet<string> = new Set(['/bin', '/usr/bin']);
const shellNames: ReadonlySet<string> = new Set(['bash', 'sh']);
/** Bytes of a script's first line that Linux reads (BINPRM_BUF_SIZE). */
const headBytes = 256;

/** Finds programs in the tree and among those that are built in. */
export class Executables {
  readonly #files: TreeFiles;
  readonly #programs: Programs;

  constructor({ files, programs }: { files: TreeFiles; programs: Programs }) {
    this.#files = files;
    this.#programs = programs;
  }

  /** Where `PATH` has a command, or an absolute path of what has a slash. `undefined` where there is none. */
  find(
    name: ShellText,
    { path, cwd }: { path: ShellText | undefined; cwd: ShellText },
  ): ShellText | undefined {
    if (name.includes('/')) return absolutePath(cwd, name);
    return this.findAll(name, { path, cwd }).next().value ?? this.#findForbidden(name, { path, cwd });
  }

  /** Each place in `PATH` that has a command, as `type -a` shows them. */
  *findAll(
    name: ShellText,
    { path, cwd }: { path: ShellText | undefined; cwd: ShellText },
  ): Generator<ShellText, undefined> {
    if (name === '') return;
    for (const directory of (path ?? '').split(':')) {
      const candidate = inDirectory(directory, name);
      if (this.isExecutable(absolutePath(cwd, candidate))) yield candidate;
    }
  }

  /** What could be run by name, for completion. */
  names(path: ShellText | undefined): readonly ShellText[] {
    const found = [...this.#programs.keys(), ...shellNames];
    for (const directory of (path ?? '').split(':')) {
      const absolute = absolutePath('/', directory);
      const inode = this.#stat(absolute);
      if (!inode || !isDirectory(inode.mode)) continue;
      for (const name of this.#files.readdir(absolute)) {
        if (this.isExecutable(`${absolute}/${name}`)) found.push(name);
      }
    }
    return found;
  }

  isExecutable(path: ShellText): boolean {
    const inode = this.#stat(path);
    if (inode) return isFile(inode.mode) && (inode.mode & 0o111) !== 0;
    return this.builtInAt(path) !== undefined;
  }

  /** The built-in program whose file a path is, or leads to by links of the tree, which has no such file. */
  builtInAt(path: ShellText): ShellText | undefined {
    if (this.#stat(path)) return undefined;
    let at = path;
    for (let followed = 0; followed < treeLimits.symlinksFollowed; followed++) {
      const target = this.#linkAt(at);
      if (target === undefined) return this.#isBuiltIn(at) ? baseName(at) : undefined;
      at = absolutePath(directoryOf(at), target);
    }
    return undefined;
  }

  /** Built-in programs that a directory has beside what the tree has there. */
  builtInsOf(directory: ShellText): readonly ShellText[] {
    return this.#hasPrograms(directory) ? [...this.#programs.keys(), ...shellNames] : [];
  }

  /** @throws ShellError ENOENT, EACCES, EISDIR */
  open(path: ShellText): Executable {
    const builtIn = this.builtInAt(path);
    if (builtIn !== undefined) return this.#builtIn(builtIn);
    const inode = this.#files.stat(path);
    if (isDirectory(inode.mode)) throw new ShellError('EISDIR');
    if (!isFile(inode.mode) || (inode.mode & 0o111) === 0) throw new ShellError('EACCES');
    const head = this.#head(inode);
    const copied = programOfText(head);
    if (copied !== undefined && this.#has(copied)) return this.#builtIn(copied);
    if (head.startsWith('#!')) return scriptOf(head) ?? { type: 'text' };
    if (head.startsWith('\x7fELF')) return this.#compiled(path);
    return isBinary(head) ? { type: 'binary' } : { type: 'text' };
  }

  /** A compiled program of an image is the built-in one of that name, under which it may have been linked. */
  #compiled(path: ShellText): Executable {
    for (const name of [baseName(path), baseName(this.#files.realpath(path))]) {
      if (this.#has(name)) return this.#builtIn(name);
    }
    return { type: 'binary' };
  }

  #builtIn(name: string): Executable {
    const program = this.#programs.get(name);
    if (program) return { type: 'program', program };
    return shellNames.has(name) ? { type: 'shell' } : { type: 'binary' };
  }

  #has(name: string): boolean {
    return this.#programs.has(name) || shellNames.has(name);
  }

  #isBuiltIn(path: ShellText): boolean {
    return this.#has(baseName(path)) && this.#hasPrograms(directoryOf(path));
  }

  /** Also by another name, through links of the tree. */
  #hasPrograms(directory: ShellText): boolean {
    const ino = this.#stat(directory)?.ino;
    if (ino === undefined) return programDirectories.has(directory);
    for (const known of programDirectories) if (this.#stat(known)?.ino === ino) return true;
    return false;
  }

  /** A file that is there but may not be run: bash tries it, and tells why not. */
  #findForbidden(
    name: ShellText,
    { path, cwd }: { path: ShellText | undefined; cwd: ShellText },
  ): ShellText | undefined {
    if (name === '') return undefined;
    for (const directory of (path ?? '').split(':')) {
      const candidate = inDirectory(directory, name);
      const inode = this.#stat(absolutePath(cwd, candidate));
      if (inode && isFile(inode.mode)) return candidate;
    }
    return undefined;
  }

  #stat(path: ShellText): InodeView | undefined {
    try {
      return this.#files.stat(path);
    } catch (error) {
      if (error instanceof ShellError) return undefined;
      throw error;
    }
  }

  #linkAt(path: ShellText): ShellText | undefined {
    try {
      return this.#files.readlink(path);
    } catch (error) {
      if (error instanceof ShellError) return undefined;
      throw error;
    }
  }

  #head(inode: InodeView): ShellText {
    const bytes = new Uint8Array(Math.min(headBytes, inode.sizeBytes));
    this.#files.tree.read(inode.ino, 0, bytes);
    return decodeText(bytes);
  }
}

function inDirectory(directory: ShellText, name: ShellText): ShellText {
  if (directory === '') return `./${name}`;
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

function directoryOf(path: ShellText): ShellText {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function baseName(path: ShellText): ShellText {
  return path.slice(path.lastIndexOf('/') + 1);
}

function scriptOf(head: ShellText): Executable | undefined {
  const [, program, argument] = /^#![ \t]*([^ \t\n]+)(?:[ \t]+([^\n]*?))?[ \t]*(?:\n|$)/.exec(head) ?? [];
  if (!program) return undefined;
  return { type: 'script', interpreter: argument ? [program, argument] : [program] };
}

/** As bash tells text from binary files: by a zero byte in the first line. */
function isBinary(head: ShellText): boolean {
  const [firstLine = ''] = head.slice(0, 80).split('\n');
  return firstLine.includes('\0');
}
