import { errno } from '../../tree/live/errno.ts';

/** What the tree is compared with: files as plain objects, snapshots as deep copies. */
export interface PlainNode {
  mode: number;
  uid: number;
  gid: number;
  mtime: number;
  data: Uint8Array;
  target: string;
  children: Map<string, PlainNode>;
  xattrs: Map<string, string>;
}

const directoryType = 0o040000;
const fileType = 0o100000;

function isPlainDirectory(node: PlainNode): boolean {
  return (node.mode & 0o170000) === directoryType;
}

/** A file system that is obviously right and as slow as it likes. Paths are lists of names. */
export class PlainModel {
  root: PlainNode = plainNode(directoryType | 0o755, 0);

  find(path: readonly string[]): PlainNode | undefined {
    let at: PlainNode | undefined = this.root;
    for (const name of path) at = at?.children.get(name);
    return at;
  }

  /** Counts the names of a node. */
  links(node: PlainNode): number {
    let count = 0;
    const walk = (directory: PlainNode): void => {
      for (const child of directory.children.values()) {
        if (child === node) count += 1;
        walk(child);
      }
    };
    walk(this.root);
    return count;
  }

  create(path: readonly string[], mode: number, now: number, target = ''): number {
    const place = this.#place(path);
    if (typeof place === 'number') return place;
    if (place.directory.children.has(place.name)) return -errno.EEXIST;
    const node = plainNode(mode, now);
    node.target = target;
    place.directory.children.set(place.name, node);
    place.directory.mtime = now;
    return 0;
  }

  write(path: readonly string[], offset: number, bytes: Uint8Array, now: number): number {
    const node = this.#file(path);
    if (typeof node === 'number') return node;
    const data = new Uint8Array(Math.max(node.data.length, offset + bytes.length));
    data.set(node.data);
    data.set(bytes, offset);
    node.data = data;
    node.mtime = now;
    return bytes.length;
  }

  truncate(path: readonly string[], size: number, now: number): number {
    const node = this.#file(path);
    if (typeof node === 'number') return node;
    if (size === node.data.length) return 0;
    const data = new Uint8Array(size);
    data.set(node.data.subarray(0, size));
    node.data = data;
    node.mtime = now;
    return 0;
  }

  link(from: readonly string[], to: readonly string[], now: number): number {
    const node = this.find(from);
    if (node === undefined) return -errno.ENOENT;
    if (isPlainDirectory(node)) return -errno.EPERM;
    const place = this.#place(to);
    if (typeof place === 'number') return place;
    if (place.directory.children.has(place.name)) return -errno.EEXIST;
    place.directory.children.set(place.name, node);
    place.directory.mtime = now;
    return 0;
  }

  remove(path: readonly string[], kind: 'unlink' | 'rmdir', now: number): number {
    const place = this.#place(path);
    if (typeof place === 'number') return place;
    const node = place.directory.children.get(place.name);
    if (node === undefined) return -errno.ENOENT;
    if (kind === 'unlink' && isPlainDirectory(node)) return -errno.EISDIR;
    if (kind === 'rmdir' && !isPlainDirectory(node)) return -errno.ENOTDIR;
    if (node.children.size > 0) return -errno.ENOTEMPTY;
    place.directory.children.delete(place.name);
    place.directory.mtime = now;
    return 0;
  }

  rename(from: readonly string[], to: readonly string[], now: number): number {
    const source = this.#place(from);
    if (typeof source === 'number') return source;
    const node = source.directory.children.get(source.name);
    if (node === undefined) return -errno.ENOENT;
    const target = this.#place(to);
    if (typeof target === 'number') return target;
    const replaced = target.directory.children.get(target.name);
    if (replaced === node) return 0;
    if (isPlainDirectory(node) && this.#isBelow(target.directory, node)) return -errno.EINVAL;
    if (replaced && isPlainDirectory(node) && !isPlainDirectory(replaced)) return -errno.ENOTDIR;
    if (replaced && !isPlainDirectory(node) && isPlainDirectory(replaced)) return -errno.EISDIR;
    if (replaced && replaced.children.size > 0) return -errno.ENOTEMPTY;
    source.directory.children.delete(source.name);
    target.directory.children.set(target.name, node);
    source.directory.mtime = now;
    target.directory.mtime = now;
    return 0;
  }

  #isBelow(inner: PlainNode, outer: PlainNode): boolean {
    return inner === outer || [...outer.children.values()].some((child) => this.#isBelow(inner, child));
  }

  #file(path: readonly string[]): PlainNode | number {
    const node = this.find(path);
    if (node === undefined) return -errno.ENOENT;
    if (isPlainDirectory(node)) return -errno.EISDIR;
    return (node.mode & 0o170000) === fileType ? node : -errno.EINVAL;
  }

  #place(path: readonly string[]): { directory: PlainNode; name: string } | number {
    const directory = this.find(path.slice(0, -1));
    const name = path[path.length - 1];
    if (directory === undefined || name === undefined) return -errno.ENOENT;
    return isPlainDirectory(directory) ? { directory, name } : -errno.ENOTDIR;
  }
}

function plainNode(mode: number, mtime: number): PlainNode {
  return {
    mode,
    uid: 0,
    gid: 0,
    mtime,
    data: new Uint8Array(0),
    target: '',
    children: new Map(),
    xattrs: new Map(),
  };
}
