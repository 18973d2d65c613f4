import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { cannot, hostPath, isGone, statOf } from './folder-entry.ts';

/** A directory of the folder: where its names are reached, or why it is not one. */
export type OpenedDirectory =
  | { readonly at: ByteString; readonly lacks?: undefined }
  | { readonly at?: undefined; readonly lacks: 'gone' | 'mount' };

/** Opens what is at a path itself, without reading it (open(2)); Node has no name for it. */
const openPath = 0o10000000;

/**
 * A folder of this host, and only what is on its own mount. Where the kernel numbers mounts (Linux), its directories are reached through descriptors, opened one
 * below the other: no link is followed on the way, and what is mounted, moved or linked there meanwhile is not entered. Elsewhere they are
 * reached by path, and a mount is told by its device.
 */
export class OpenFolder implements Disposable {
  readonly #folder: ByteString;
  /** Its descriptor. */
  readonly file: number;
  readonly #device: bigint;
  /** The number of its mount; nothing where the kernel does not say. */
  readonly mount: string | undefined;
  /** The directory that was opened last: paths come in order. */
  #last: { readonly path: ByteString; readonly file: number } | undefined;

  /** @throws not-found where it is no directory; forbidden; as the disk fails */
  constructor(folder: ByteString) {
    this.#folder = folder;
    try {
      this.file = openSync(hostPath(folder), constants.O_RDONLY | constants.O_DIRECTORY);
    } catch (error) {
      if (!isGone(error)) throw cannot('read', folder, error);
      const message = `${toDisplayText(folder)} is no longer a folder, so its history can neither read nor change it`;
      throw new SandboxError('not-found', message, { cause: error });
    }
    this.#device = this.stat().dev;
    this.mount = mountOf(this.file);
  }

  /** Of the folder itself. */
  stat(): BigIntStats {
    return fstatSync(this.file, { bigint: true });
  }

  /** The paths in the folder that something is mounted at, as it is now. Empty where the kernel does not say. */
  mounts(): ReadonlySet<ByteString> {
    return this.mount === undefined ? new Set() : mountsBelow(this.#folder, this.mount);
  }

  /** A path of the folder is valid until the next call. @throws forbidden; as the disk fails */
  directory(path: ByteString): OpenedDirectory {
    if (this.mount === undefined) return this.#byPath(path);
    if (path === '') return { at: inDescriptor(this.file) };
    if (this.#last?.path === path) return { at: inDescriptor(this.#last.file) };
    const file = this.#walk(path);
    if (file === undefined) return { lacks: 'gone' };
    if (mountOf(file) !== this.mount) {
      closeSync(file);
      return { lacks: 'mount' };
    }
    this.#last = { path, file };
    return { at: inDescriptor(file) };
  }

  /** Whether an open file, or what a name of one of its directories shows, is the folder's own and not mounted there. */
  owns(entry: number | BigIntStats): boolean {
    if (this.mount === undefined) {
      return (typeof entry === 'number' ? fstatSync(entry, { bigint: true }) : entry).dev === this.#device;
    }
    return typeof entry !== 'number' || mountOf(entry) === this.mount;
  }

  /** Calls `use` with what is at a path itself, however that is named meanwhile; not of a link, nor where there are no such descriptors. */
  withEntry<T>(path: ByteString, use: (at: Buffer, file: number) => T): T | undefined {
    if (this.mount === undefined) return undefined;
    const file = openSync(hostPath(path), openPath | constants.O_NOFOLLOW);
    try {
      return fstatSync(file).isSymbolicLink() ? undefined : use(hostPath(inDescriptor(file)), file);
    } finally {
      closeSync(file);
    }
  }

  [Symbol.dispose](): void {
    this.#leave();
    closeSync(this.file);
  }

  #walk(path: ByteString): number | undefined {
    const last = this.#last;
    const isBelow = last !== undefined && path.startsWith(`${last.path}/`);
    let file = isBelow ? last.file : this.file;
    const names = (isBelow ? path.slice(last.path.length + 1) : path).split('/');
    if (isBelow) this.#last = undefined;
    else this.#leave();
    try {
      for (const name of names) {
        const next = openSync(
          hostPath(`${inDescriptor(file)}/${name}`),
          openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW,
        );
        if (file !== this.file) closeSync(file);
        file = next;
      }
      return file;
    } catch (error) {
      if (file !== this.file) closeSync(file);
      if (isGone(error)) return undefined;
      throw cannot('read', path, error);
    }
  }

  #byPath(path: ByteString): OpenedDirectory {
    let at = this.#folder;
    for (const name of path === '' ? [] : path.split('/')) {
      at = `${at}/${name}`;
      const stat = statOf(at);
      if (!stat?.isDirectory()) return { lacks: 'gone' };
      if (stat.dev !== this.#device) return { lacks: 'mount' };
    }
    return { at };
  }

  #leave(): void {
    if (this.#last) closeSync(this.#last.file);
    this.#last = undefined;
  }
}

function inDescriptor(file: number): ByteString {
  return `/proc/self/fd/${file}`;
}

/** proc_pid_fdinfo(5). Two mounts of one file system have two numbers. */
function mountOf(file: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return /^mnt_id:\t(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * The paths below `folder` that something is mounted at, without what is mounted further down, of the mounts of the kernel's number `mount`. By
 * device numbers alone, what is mounted from the same file system would count as part of the folder.
 */
function mountsBelow(folder: ByteString, mount: string): ReadonlySet<ByteString> {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  const paths = new Set<ByteString>();
  // proc_pid_mountinfo(5): the second field is the mount that it is on, the fifth where. Names are bytes.
  for (const line of readFileSync('/proc/self/mountinfo', 'latin1').split('\n')) {
    const [, parent, , , field = ''] = line.split(' ');
    const point = decode(field);
    if (parent === mount && point.startsWith(prefix)) paths.add(point.slice(prefix.length));
  }
  return paths;
}

/** Blanks, newlines and backslashes are octal numbers. */
function decode(field: string): ByteString {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
