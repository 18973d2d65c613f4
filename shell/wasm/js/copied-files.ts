import { fileMode, isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import { absolutePath } from '../../files/absolute-path.ts';
import { shellLimits } from '../../limits.ts';
import type { CopiedFile, FileChange } from '../../programs/wasm/program-worker.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';

const maxLinks = 40;

interface Node {
  mode: number;
  modifiedMs: number;
  bytes: Uint8Array;
  /** Of a file whose content is not in the copy. */
  leftOutBytes: number;
  target: ShellText;
}

export interface FileStat {
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * The sandbox's files as they were when the program began, to be read and changed at once. Each change goes on to the
 * sandbox as it is made. Every method throws a `ShellError`.
 */
export class CopiedFiles {
  readonly #nodes: Map<ShellText, Node>;
  readonly #cwd: ShellText;
  readonly #onChange: (change: FileChange) => void;
  #bytes = 0;

  constructor(
    files: readonly CopiedFile[],
    { cwd, onChange }: { cwd: ShellText; onChange: (change: FileChange) => void },
  ) {
    this.#nodes = new Map(
      files.map(({ path, mode, modifiedMs, bytes = none, leftOutBytes = 0, target = '' }) => [
        path,
        { mode, modifiedMs, bytes, leftOutBytes, target },
      ]),
    );
    for (const { bytes } of this.#nodes.values()) this.#bytes += bytes.length;
    this.#cwd = cwd;
    this.#onChange = onChange;
  }

  /** The path without links, `.` and `..`. With `mayMiss` the last name may be missing. */
  realpath(
    path: ShellText,
    { followsLast = true, mayMiss = false }: { followsLast?: boolean; mayMiss?: boolean } = {},
  ): ShellText {
    const names = absolutePath(this.#cwd, path).split('/').filter(Boolean);
    if (path === '') throw new ShellError('ENOENT');
    let at = '';
    let links = 0;
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      if (name === '..') {
        at = parentOf(at);
        continue;
      }
      this.#assertDirectory(at || '/');
      const next = `${at}/${name}`;
      const node = this.#nodes.get(next);
      if (node !== undefined && isSymlink(node.mode) && (names.length > 0 || followsLast)) {
        if (++links > maxLinks) throw new ShellError('ELOOP');
        names.unshift(...node.target.split('/').filter((part) => part !== '' && part !== '.'));
        if (node.target.startsWith('/')) at = '';
        continue;
      }
      if (node === undefined && !(mayMiss && names.length === 0)) throw new ShellError('ENOENT');
      at = next;
    }
    return at || '/';
  }

  stat(path: ShellText, followsLast: boolean): FileStat {
    const { mode, bytes, leftOutBytes, modifiedMs, target } = this.#node(
      this.realpath(path, { followsLast }),
    );
    const size = isSymlink(mode) ? target.length : bytes.length + leftOutBytes;
    return { mode, size, mtimeMs: modifiedMs };
  }

  read(path: ShellText): Uint8Array {
    const { mode, bytes, leftOutBytes } = this.#node(this.realpath(path));
    if (isDirectory(mode)) throw new ShellError('EISDIR');
    if (leftOutBytes > 0) throw new ShellError('EFBIG');
    return bytes;
  }

  write(path: ShellText, bytes: Uint8Array, append: boolean): void {
    const real = this.realpath(path, { mayMiss: true });
    const node = this.#nodes.get(real);
    if (node !== undefined && !isFile(node.mode)) throw new ShellError('EISDIR');
    const mode = node?.mode ?? fileMode.file | 0o644;
    if (append && node && node.leftOutBytes > 0) throw new ShellError('EFBIG');
    const before = node?.bytes.length ?? 0;
    const after = append ? before + bytes.length : bytes.length;
    if (this.#bytes - before + after > shellLimits.programMemoryBytes) throw new ShellError('ENOSPC');
    const whole = append && node ? joined(node.bytes, bytes) : bytes;
    this.#bytes += after - before;
    this.#nodes.set(real, { mode, modifiedMs: Date.now(), bytes: whole, leftOutBytes: 0, target: '' });
    this.#onChange({ type: append ? 'append' : 'write', path: real, bytes });
  }

  readdir(path: ShellText): readonly ShellText[] {
    const real = this.realpath(path);
    this.#assertDirectory(real);
    const prefix = real === '/' ? '/' : `${real}/`;
    const names: ShellText[] = [];
    for (const other of this.#nodes.keys()) {
      const name = other.startsWith(prefix) ? other.slice(prefix.length) : '';
      if (name !== '' && !name.includes('/')) names.push(name);
    }
    return names.sort();
  }

  makeDirectory(path: ShellText): void {
    const real = this.#placeFor(path);
    this.#nodes.set(real, { ...emptyNode(), mode: fileMode.directory | 0o755 });
    this.#onChange({ type: 'makeDirectory', path: real });
  }

  remove(path: ShellText): void {
    const real = this.realpath(path, { followsLast: false });
    if (isDirectory(this.#node(real).mode) && this.readdir(real).length > 0)
      throw new ShellError('ENOTEMPTY');
    if (real === '/') throw new ShellError('EBUSY');
    this.#bytes -= this.#node(real).bytes.length;
    this.#nodes.delete(real);
    this.#onChange({ type: 'remove', path: real });
  }

  rename(path: ShellText, to: ShellText): void {
    const from = this.realpath(path, { followsLast: false });
    const target = this.realpath(to, { followsLast: false, mayMiss: true });
    if (target === from) return;
    if (target.startsWith(`${from}/`)) throw new ShellError('EINVAL');
    const before = this.#nodes.get(target);
    const movesDirectory = isDirectory(this.#node(from).mode);
    if (before !== undefined && isDirectory(before.mode) !== movesDirectory) {
      throw new ShellError(movesDirectory ? 'ENOTDIR' : 'EISDIR');
    }
    if (before !== undefined && movesDirectory && this.readdir(target).length > 0) {
      throw new ShellError('ENOTEMPTY');
    }
    if (before !== undefined) this.#bytes -= before.bytes.length;
    for (const [other, node] of [...this.#nodes]) {
      if (other !== from && !other.startsWith(`${from}/`)) continue;
      this.#nodes.delete(other);
      this.#nodes.set(target + other.slice(from.length), node);
    }
    this.#onChange({ type: 'rename', path: from, to: target });
  }

  chmod(path: ShellText, permissions: number): void {
    const real = this.realpath(path);
    const node = this.#node(real);
    node.mode = (node.mode & fileMode.typeMask) | (permissions & fileMode.permissions);
    this.#onChange({ type: 'chmod', path: real, permissions });
  }

  symlink(target: ShellText, path: ShellText): void {
    const real = this.#placeFor(path);
    this.#nodes.set(real, { ...emptyNode(), mode: fileMode.symlink | 0o777, target });
    this.#onChange({ type: 'symlink', path: real, target });
  }

  readlink(path: ShellText): ShellText {
    const { mode, target } = this.#node(this.realpath(path, { followsLast: false }));
    if (!isSymlink(mode)) throw new ShellError('EINVAL');
    return target;
  }

  #placeFor(path: ShellText): ShellText {
    const real = this.realpath(path, { followsLast: false, mayMiss: true });
    if (this.#nodes.has(real)) throw new ShellError('EEXIST');
    return real;
  }

  #node(real: ShellText): Node {
    const node = this.#nodes.get(real);
    if (node === undefined) throw new ShellError('ENOENT');
    return node;
  }

  #assertDirectory(real: ShellText): void {
    if (!isDirectory(this.#node(real).mode)) throw new ShellError('ENOTDIR');
  }
}

const none = new Uint8Array(0);

function emptyNode(): Node {
  return { mode: 0, modifiedMs: Date.now(), bytes: none, leftOutBytes: 0, target: '' };
}

function parentOf(path: ShellText): ShellText {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const whole = new Uint8Array(left.length + right.length);
  whole.set(left);
  whole.set(right, left.length);
  return whole;
}
