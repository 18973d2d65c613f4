import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { cannot, hostPath, isGone, statOf } from './folder-entry.ts';
import { folderLimits } from './limits.ts';

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
  /** Directories that are open, by path, the one that was used last at the end. */
  readonly #opened = new Map<ByteString, number>();

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

  /** Where the names of a directory are reached, until some dozen others were asked for. @throws forbidden; as the disk fails */
  directory(path: ByteString): OpenedDirectory {
    if (this.mount === undefined) return this.#byPath(path);
    if (path === '') return { at: inDescriptor(this.file) };
    const known = this.#opened.get(path);
    if (known !== undefined) {
      this.#opened.delete(path);
      this.#opened.set(path, known);
      return { at: inDescriptor(known) };
    }
    const file = this.#walk(path);
    if (file === undefined) return { lacks: 'gone' };
    if (mountOf(file) !== this.mount) {
      closeSync(file);
      return { lacks: 'mount' };
    }
    this.#opened.set(path, file);
    const [[oldest] = ['']] = this.#opened;
    if (this.#opened.size > folderLimits.openDirectories) this.#close(oldest);
    return { at: inDescriptor(file) };
  }

  /**
   * Where a path is reached, as `directory` says; nothing where its directory has gone.
   * @throws conflict where something is mounted there or above; as `directory`
   */
  at(path: ByteString): ByteString | undefined {
    const slash = path.lastIndexOf('/');
    const { at, lacks } = this.directory(slash < 0 ? '' : path.slice(0, slash));
    if (lacks === 'mount') throw mounted(path);
    return at === undefined ? undefined : `${at}/${path.slice(slash + 1)}`;
  }

  /** Another directory has the path, or none: it is looked for anew, as is all below. */
  forget(path: ByteString): void {
    for (const each of this.#opened.keys()) {
      if (each === path || each.startsWith(`${path}/`)) this.#close(each);
    }
  }

  /** Whether an open file, or what a name of one of its directories shows, is the folder's own and not mounted there. */
  owns(entry: number | BigIntStats): boolean {
    if (this.mount === undefined) {
      return (typeof entry === 'number' ? fstatSync(entry, { bigint: true }) : entry).dev === this.#device;
    }
    return typeof entry !== 'number' || mountOf(entry) === this.mount;
  }

  /**
   * Calls `use` with where a file or directory itself is, whatever gets its name meanwhile. False for a link, and where there are no such descriptors: there
   * it does nothing. @throws conflict where something is mounted there
   */
  withOwn(path: ByteString, use: (at: Buffer) => void): boolean {
    if (this.mount === undefined) return false;
    const file = openSync(hostPath(path), openPath | constants.O_NOFOLLOW);
    try {
      if (mountOf(file) !== this.mount) throw mounted(path.slice(path.lastIndexOf('/') + 1));
      if (fstatSync(file).isSymbolicLink()) return false;
      use(hostPath(inDescriptor(file)));
      return true;
    } finally {
      closeSync(file);
    }
  }

  [Symbol.dispose](): void {
    for (const path of this.#opened.keys()) this.#close(path);
    closeSync(this.file);
  }

  #walk(path: ByteString): number | undefined {
    const slash = path.lastIndexOf('/');
    const above = this.#opened.get(path.slice(0, Math.max(slash, 0)));
    let file = above ?? this.file;
    const names = above === undefined ? path.split('/') : [path.slice(slash + 1)];
    try {
      for (const name of names) {
        const next = openSync(
          hostPath(`${inDescriptor(file)}/${name}`),
          openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW,
        );
        if (file !== this.file && file !== above) closeSync(file);
        file = next;
      }
      return file;
    } catch (error) {
      if (file !== this.file && file !== above) closeSync(file);
      if (isGone(error)) return undefined;
      throw cannot('read', path, error);
    }
  }

  #close(path: ByteString): void {
    const file = this.#opened.get(path);
    if (file !== undefined) closeSync(file);
    this.#opened.delete(path);
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

function mounted(path: ByteString): SandboxError {
  const shown = toDisplayText(path);
  const message = `Cannot change /${shown}: something was mounted there or above it meanwhile, and what is mounted is left alone. Do it again to leave it out`;
  return new SandboxError('conflict', message, { details: { path: shown } });
}
