import { SandboxError } from '../../protocol/errors.ts';
import { toByteString } from '../../tree/content/byte-string.ts';
import { fileMode, isDirectory, isFile } from '../../tree/live/file-mode.ts';
import type { FileTree, Ino, Result } from '../../tree/live/file-tree.ts';

/** Owner, permissions and time of a file that is put into a root. Absent ones: root's, 0644 or 0755, the writer's time. */
export interface Attributes {
  readonly permissions?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtimeSeconds?: number;
}

const maxSymlinks = 16;

/**
 * Puts files into a tree by absolute path, as a package manager running as root would: parents
 * that are symlinks are followed inside the root, missing ones are made, what is there is
 * replaced. `finish` gives directories their times, which filling them has changed.
 */
export class RootWriter {
  readonly tree: FileTree;
  /** Time of what has none of its own: the newest file of any package, so that no build time leaks in. */
  epochSeconds = 0;
  /** What `finish` sets: the time of every directory, and the writer's for what was given none. */
  readonly #times = new Map<Ino, number | undefined>();

  constructor(tree: FileTree) {
    this.tree = tree;
  }

  directory(path: string, attributes: Attributes = {}): void {
    const found = this.find(path);
    const ino =
      found && this.#isDirectory(found) ? found : this.#create(path, fileMode.directory | 0o755, '');
    this.#setAttributes(ino, { permissions: 0o755, ...attributes });
    this.#times.set(ino, attributes.mtimeSeconds);
  }

  file(path: string, content: Uint8Array | string, attributes: Attributes = {}): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.remove(path);
    const ino = this.#create(path, fileMode.file | 0o644, '');
    if (bytes.length > 0) this.#check(this.tree.write(ino, 0, bytes), 'write', path);
    this.#setAttributes(ino, { permissions: 0o644, ...attributes });
  }

  symlink(path: string, target: string, attributes: Attributes = {}): void {
    this.remove(path);
    const ino = this.#create(path, fileMode.symlink | 0o777, target);
    this.#setAttributes(ino, { permissions: 0o777, ...attributes });
  }

  hardlink(path: string, target: string): void {
    const ino = this.find(target, { follow: false });
    if (!ino)
      throw new SandboxError('invalid-argument', `Cannot link ${path} to ${target}, which is not there`);
    this.remove(path);
    const [directory, name] = this.#parent(path);
    this.#check(this.tree.link(ino, directory, name), 'link', path);
  }

  /** Removes a file or symlink if it is there; a directory stays. */
  remove(path: string): void {
    const ino = this.find(path, { follow: false });
    if (!ino) return;
    const [directory, name] = this.#parent(path);
    this.#check(this.tree.unlink(directory, name), 'replace', path);
  }

  /** The text of a file, or `undefined` when there is none. */
  read(path: string): string | undefined {
    return this.readBytes(path)?.toString('utf8');
  }

  /** The content of a file, or `undefined` when there is none. */
  readBytes(path: string): Buffer | undefined {
    const ino = this.find(path);
    const view = ino ? this.tree.stat(ino) : undefined;
    if (!view || !isFile(view.mode)) return undefined;
    const bytes = Buffer.alloc(view.sizeBytes);
    this.#check(this.tree.read(ino, 0, bytes), 'read', path);
    return bytes;
  }

  /** Seconds since the epoch when a file was last changed, as far as it was given; else 0. */
  mtimeSeconds(path: string): number {
    return this.tree.stat(this.find(path))?.mtimeSeconds ?? 0;
  }

  isDirectory(path: string): boolean {
    return this.#isDirectory(this.find(path));
  }

  /** The names in a directory, sorted; empty when there is none. */
  list(path: string): string[] {
    const ino = this.find(path);
    const names: string[] = [];
    if (ino && this.#isDirectory(ino)) {
      this.tree.readdir(ino, 0, (name) => {
        names.push(Buffer.from(name, 'latin1').toString('utf8'));
        return true;
      });
    }
    return names.sort();
  }

  /** The inode that a path names, or 0. */
  find(path: string, options: { follow?: boolean } = {}): Ino {
    return this.#walk(this.tree.root, path, { follow: options.follow ?? true, links: 0 });
  }

  /** To be called last, once: what was given no time of its own gets the writer's, directories keep theirs. */
  finish(): void {
    this.#times.set(this.tree.root, this.#times.get(this.tree.root));
    for (const [ino, seconds] of this.#times) {
      this.tree.setAttributes(ino, { mtime: timestamp(seconds ?? this.epochSeconds) });
    }
  }

  #walk(from: Ino, path: string, state: { follow: boolean; links: number }): Ino {
    const parts = path.split('/').filter((part) => part !== '');
    let directory = from;
    for (const [index, part] of parts.entries()) {
      const ino =
        part === '..'
          ? (this.tree.stat(directory)?.parent ?? 0)
          : this.tree.lookup(directory, toByteString(part));
      const view = ino ? this.tree.stat(ino) : undefined;
      if (!view) return 0;
      const last = index === parts.length - 1;
      if (view.target !== undefined && (!last || state.follow)) {
        if (state.links === maxSymlinks) return 0;
        const target = Buffer.from(view.target, 'latin1').toString('utf8');
        const base = target.startsWith('/') ? this.tree.root : directory;
        directory = this.#walk(base, target, { follow: true, links: state.links + 1 });
      } else {
        directory = ino;
      }
      if (!directory) return 0;
    }
    return directory;
  }

  /** The directory that holds `path`, made if it is missing, and the last name. */
  #parent(path: string): [Ino, string] {
    const slash = path.lastIndexOf('/');
    const parent = path.slice(0, slash);
    if (!this.find(parent)) this.directory(parent);
    return [this.find(parent), toByteString(path.slice(slash + 1))];
  }

  #create(path: string, mode: number, target: string): Ino {
    const [directory, name] = this.#parent(path);
    const symlink = target ? { target: toByteString(target) } : {};
    return this.#check(
      this.tree.create(directory, name, { mode, uid: 0, gid: 0, ...symlink }),
      'create',
      path,
    );
  }

  #setAttributes(ino: Ino, { permissions, uid, gid, mtimeSeconds }: Attributes): void {
    if (mtimeSeconds === undefined) this.#times.set(ino, undefined);
    else this.#times.delete(ino);
    this.tree.setAttributes(ino, {
      ...(permissions === undefined ? {} : { permissions }),
      ...(mtimeSeconds === undefined ? {} : { mtime: timestamp(mtimeSeconds) }),
      uid: uid ?? 0,
      gid: gid ?? 0,
    });
  }

  #isDirectory(ino: Ino): boolean {
    return isDirectory(this.tree.stat(ino)?.mode ?? 0);
  }

  #check(result: Result, verb: string, path: string): number {
    if (result >= 0) return result;
    throw new SandboxError('internal', `Cannot ${verb} ${path} in the image: errno ${-result}`, {
      details: { path, errno: -result },
    });
  }
}

function timestamp(seconds: number): { seconds: number; nanoseconds: number } {
  return { seconds, nanoseconds: 0 };
}
