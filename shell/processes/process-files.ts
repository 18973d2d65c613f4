import type { InodeView } from '../../tree/live/file-tree.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { withoutSlash } from '../files/absolute-path.ts';
import { OpenTreeFile } from '../files/open-tree-file.ts';
import type { FileCreator, OpenFlags } from '../files/tree-files.ts';
import { TreeFiles } from '../files/tree-files.ts';
import { checked } from '../files/tree-result.ts';
import { BytesInput } from '../io/bytes-input.ts';
import type { DescriptorTable } from '../io/descriptor-table.ts';
import type { OpenFile } from '../io/open-file.ts';
import { ShellError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import type { Executables } from './executables.ts';
import type { ProcessTable } from './process-table.ts';
import { programInode, programPermissions, programText } from './program-files.ts';

/** Whose the files of programs are. */
const root: FileCreator = { uid: 0, gid: 0, umask: 0o022 };

const standardDescriptors: ReadonlyMap<string, number> = new Map([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
]);

/** The descriptor that a path is another name of: `/dev/stdin`, `/dev/fd/63`. */
export function descriptorOfPath(path: ShellText): number | undefined {
  const standard = standardDescriptors.get(path);
  if (standard !== undefined) return standard;
  const [, digits] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The process whose environment a path is. */
function processOfPath(path: ShellText): number | undefined {
  const [, digits] = /^\/proc\/(\d{1,9})\/environ$/.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** What a process sees the files with. */
export interface ProcessView {
  readonly descriptors: DescriptorTable;
  readonly signal: AbortSignal;
  readonly table: ProcessTable;
  readonly executables: Executables;
}

/**
 * The sandbox's files as one process sees them: `/dev/fd/N` are its own open files, `/proc/PID/environ` is there for shells
 * at a terminal, and `/usr/bin` has the built-in programs. Once the process was killed every method throws
 * the signal's name: its program may still be on its way.
 */
export class ProcessFiles extends TreeFiles {
  readonly #descriptors: DescriptorTable;
  readonly #signal: AbortSignal;
  readonly #table: ProcessTable;
  readonly #executables: Executables;
  /** Built-in programs whose files the process has deleted: what it makes there then is new. */
  readonly #deleted = new Set<ShellText>();

  constructor(files: TreeFiles, { descriptors, signal, table, executables }: ProcessView) {
    super(files.tree);
    this.#descriptors = descriptors;
    this.#signal = signal;
    this.#table = table;
    this.#executables = executables;
  }

  override get tree(): LiveTree {
    this.#signal.throwIfAborted();
    return super.tree;
  }

  override open(path: ShellText, flags: OpenFlags, creator: FileCreator): OpenFile {
    return this.#open(path, flags, creator, this.#signal);
  }

  /** `open` for a descriptor: who inherits it goes on with the file when the process was killed. */
  openDescriptor(path: ShellText, flags: OpenFlags, creator: FileCreator): OpenFile {
    return this.#open(path, flags, creator);
  }

  #open(path: ShellText, flags: OpenFlags, creator: FileCreator, signal?: AbortSignal): OpenFile {
    const pid = processOfPath(path);
    const environ = pid === undefined ? undefined : this.#table.get(pid)?.environ;
    if (environ) return new BytesInput(environ());
    const fd = descriptorOfPath(path);
    if (fd === undefined) return this.#openNamed(path, flags, creator, signal);
    const file = this.#descriptors.get(fd);
    if (!file) throw new ShellError('ENOENT');
    // Linux opens a file anew, with a position of its own; of a pipe it is the same end.
    if (file.type === 'file' && file.path !== undefined && super.exists(file.path)) {
      return super.open(file.path, flags, creator, signal);
    }
    file.retain();
    return file;
  }

  override stat(path: ShellText): InodeView {
    return this.#orProgram(path, () => super.stat(path), programInode);
  }

  override lstat(path: ShellText): InodeView {
    return this.#orProgram(path, () => super.lstat(path), programInode);
  }

  override exists(path: ShellText): boolean {
    return super.exists(path) || this.#executables.builtInAt(path) !== undefined;
  }

  override realpath(path: ShellText): ShellText {
    return this.#orProgram(
      path,
      () => super.realpath(path),
      (name) => `/usr/bin/${name}`,
    );
  }

  override readFile(path: ShellText): Uint8Array {
    return this.#orProgram(path, () => super.readFile(path), programText);
  }

  override readdir(path: ShellText): readonly ShellText[] {
    return [...new Set([...super.readdir(path), ...this.#executables.builtInsOf(withoutSlash(path))])];
  }

  /** A built-in program is there again at once: the tree notes nothing that is missing from it. */
  override unlink(path: ShellText): void {
    const name = this.#isProgram(path) ? this.#executables.builtInAt(path) : undefined;
    if (name === undefined) super.unlink(path);
    else this.#deleted.add(name);
  }

  override rename(path: ShellText, to: ShellText): void {
    if (this.#isProgram(path)) this.#copyUp(path);
    super.rename(path, to);
  }

  override link(path: ShellText, to: ShellText): void {
    if (this.#isProgram(path)) this.#copyUp(path);
    super.link(path, to);
  }

  override truncate(path: ShellText, sizeBytes: number): void {
    this.#copyUp(path);
    super.truncate(path, sizeBytes);
  }

  override chmod(path: ShellText, permissions: number): void {
    this.#copyUp(path);
    super.chmod(path, permissions);
  }

  override chown(path: ShellText, owner: Parameters<TreeFiles['chown']>[1]): void {
    if (owner.follow !== false || this.#isProgram(path)) this.#copyUp(path);
    super.chown(path, owner);
  }

  override utimes(path: ShellText, times: Parameters<TreeFiles['utimes']>[1]): void {
    if (times.follow !== false || this.#isProgram(path)) this.#copyUp(path);
    super.utimes(path, times);
  }

  #openNamed(path: ShellText, flags: OpenFlags, creator: FileCreator, signal?: AbortSignal): OpenFile {
    const open = () => super.open(path, flags, creator, signal);
    const { write, append, create, truncate, exclusive } = flags;
    // Whoever makes a file that must not be there has deleted the program's before.
    if (exclusive) return open();
    if (!write && !append && !create && !truncate)
      return this.#orProgram(path, open, (name) => new BytesInput(programText(name)));
    this.#copyUp(path);
    return open();
  }

  /** Whether the tree has nothing at a path, not even a link, and a built-in program is there. */
  #isProgram(path: ShellText): boolean {
    try {
      super.lstat(path);
      return false;
    } catch {
      return this.#executables.builtInAt(path) !== undefined;
    }
  }

  /** Has the tree have a built-in program's file, which is about to change, as an overlay has one of a layer below. */
  #copyUp(path: ShellText): void {
    const name = this.#executables.builtInAt(path);
    if (name === undefined || this.#deleted.has(name)) return;
    const file = super.open(path, { write: true, create: true }, root, this.#signal);
    try {
      if (file instanceof OpenTreeFile) checked(this.tree.write(file.ino, 0, programText(name)));
    } finally {
      file.release();
    }
    super.chmod(path, programPermissions);
  }

  #orProgram<Found>(path: ShellText, find: () => Found, ofProgram: (name: ShellText) => Found): Found {
    try {
      return find();
    } catch (error) {
      const isMissing = error instanceof ShellError && error.code === 'ENOENT';
      const program = isMissing ? this.#executables.builtInAt(path) : undefined;
      if (program === undefined) throw error;
      return ofProgram(program);
    }
  }
}
