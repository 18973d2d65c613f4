import type { ByteString } from '../content/byte-string.ts';
import type { Ino } from './file-tree.ts';
import { nameHash } from './name-hash.ts';

/*
 * Every entry has a position: 23 bits of its name's hash, then a 7-bit slot that tells apart names
 * that share those bits. It never changes while the entry lives, and entries are kept and listed in
 * its order, so a listing can go on from a position while others come and go. It fits 31 bits
 * because glibc's 32-bit readdir fails with EOVERFLOW on larger offsets (getdents.c).
 */
const slotBits = 7;
const slots = 1 << slotBits;
const positionBits = 30;
const levelBits = 5;
/** Branches are at most this deep, so that all names with the same hash share a leaf. */
const maxLevel = 4;
/** A leaf with more entries becomes a branch. */
const leafEntries = 16;

export interface DirectoryEntry {
  readonly name: ByteString;
  readonly ino: Ino;
  readonly position: number;
}

type Node = Leaf | Branch;

interface Leaf {
  readonly type: 'leaf';
  readonly epoch: number;
  /** Sorted by position. */
  readonly entries: DirectoryEntry[];
}

interface Branch {
  readonly type: 'branch';
  readonly epoch: number;
  readonly children: (Node | undefined)[];
}

/** The inode of a name in a directory that is being loaded. */
export interface NamedIno {
  readonly name: ByteString;
  readonly ino: Ino;
}

/**
 * The names of one directory as a persistent hash trie: `clone` is O(1), a change copies O(log n). Mutating calls
 * take the owner's epoch (see `nextEpoch`). Most directories of a loaded tree are never used, so the trie of a
 * small one is built on first use.
 */
export class DirectoryMap {
  #trie: Node | undefined;
  /** Entries from which the trie is still to be built. */
  #unbuilt: { readonly names: () => readonly NamedIno[]; readonly epoch: number } | undefined;
  #size: number;

  constructor(trie?: Node, size = 0) {
    this.#trie = trie;
    this.#size = size;
  }

  /** The map that `set` would make of `names` in turn; `undefined` where it would answer false. */
  static of(names: readonly NamedIno[], epoch: number): DirectoryMap | undefined {
    const map = new DirectoryMap(undefined, names.length);
    if (names.length <= slots) {
      map.#unbuilt = { names: () => names, epoch };
    } else {
      const entries = positioned(names);
      if (entries === undefined) return undefined;
      map.#trie = build(entries, { epoch, level: 0 });
    }
    return map;
  }

  /**
   * The map of a directory that is loaded on first use: `names` then answers `size` names, of which no more share a
   * hash than a directory allows.
   */
  static deferred(
    names: () => readonly NamedIno[],
    { size, epoch }: { size: number; epoch: number },
  ): DirectoryMap {
    const map = new DirectoryMap(undefined, size);
    map.#unbuilt = { names, epoch };
    return map;
  }

  get size(): number {
    return this.#size;
  }

  get root(): Node | undefined {
    const unbuilt = this.#unbuilt;
    if (unbuilt !== undefined) {
      const entries = positioned(unbuilt.names());
      if (entries === undefined) throw tooManyAlike();
      this.#trie = build(entries, { epoch: unbuilt.epoch, level: 0 });
      this.#unbuilt = undefined;
    }
    return this.#trie;
  }

  clone(): DirectoryMap {
    return new DirectoryMap(this.root, this.#size);
  }

  get(name: ByteString): Ino {
    return entryOf(this.#leaf(hashBits(name)), name)?.ino ?? 0;
  }

  /**
   * Adds `name`, or points it at another inode in its old position. Answers false when the names
   * that share a hash have used up their slots (as ext4's htree does, after 128 of them).
   */
  set(name: ByteString, ino: Ino, epoch: number): boolean {
    const hash = hashBits(name);
    const leaf = this.#leaf(hash);
    const old = entryOf(leaf, name);
    const position = old?.position ?? freePosition(leaf?.entries ?? [], hash);
    if (position < 0) return false;
    this.#trie = insert(this.root, { entry: { name, ino, position }, epoch, level: 0 });
    if (old === undefined) this.#size += 1;
    return true;
  }

  delete(name: ByteString, epoch: number): void {
    const entry = entryOf(this.#leaf(hashBits(name)), name);
    if (entry === undefined) return;
    this.#trie = remove(this.root, { entry, epoch, level: 0 });
    this.#size -= 1;
  }

  /** Visits entries whose position is `from` or more, in order, until `visit` returns false. */
  forEach(from: number, visit: (entry: DirectoryEntry) => boolean): void {
    const { root } = this;
    if (root && from < 2 ** positionBits) iterate(root, { from, level: 0, visit });
  }

  #leaf(hash: number): Leaf | undefined {
    let node = this.root;
    for (let level = 0; node?.type === 'branch'; level++) node = node.children[slotAt(hash, level)];
    return node;
  }
}

/** The error for a directory that is not valid. */
export function tooManyAlike(): RangeError {
  return new RangeError('Cannot load tree: too many names in a directory have the same hash');
}

/** Entries in the order of their positions; `undefined` when too many names have the same hash. */
function positioned(names: readonly NamedIno[]): DirectoryEntry[] | undefined {
  const entries = names.map(({ name, ino }) => ({ name, ino, position: hashBits(name) }));
  entries.sort((a, b) => a.position - b.position); // Stable: the first name of a hash gets its first slot.
  let last = -1;
  for (const entry of entries) {
    const hash = entry.position;
    if (hash <= last) {
      if (last + 1 >= hash + slots) return undefined;
      entry.position = last + 1;
    }
    last = entry.position;
  }
  return entries;
}

/** The entries in which two maps differ, skipping the nodes they share. */
export function directoryChanges(before: DirectoryMap, after: DirectoryMap): Set<ByteString> {
  const names = new Set<ByteString>();
  compare(before.root, after.root, { level: 0, names });
  return names;
}

function entryOf(leaf: Leaf | undefined, name: ByteString): DirectoryEntry | undefined {
  if (leaf === undefined) return undefined;
  for (const entry of leaf.entries) if (entry.name === name) return entry;
  return undefined;
}

function hashBits(name: ByteString): number {
  return (nameHash(name) >>> (32 - positionBits + slotBits)) * slots;
}

function slotAt(position: number, level: number): number {
  return (position >>> (positionBits - levelBits * (level + 1))) & 31;
}

function freePosition(entries: readonly DirectoryEntry[], hash: number): number {
  let position = hash;
  for (const entry of entries) {
    if (entry.position >= hash + slots) break;
    if (entry.position === position) position += 1;
  }
  return position < hash + slots ? position : -1;
}

function insert(node: Node | undefined, at: { entry: DirectoryEntry; epoch: number; level: number }): Node {
  if (node === undefined) return { type: 'leaf', epoch: at.epoch, entries: [at.entry] };
  if (node.type === 'branch') {
    const branch = ownedBranch(node, at.epoch);
    const slot = slotAt(at.entry.position, at.level);
    branch.children[slot] = insert(branch.children[slot], { ...at, level: at.level + 1 });
    return branch;
  }
  const leaf = node.epoch === at.epoch ? node : { ...node, epoch: at.epoch, entries: node.entries.slice() };
  const index = lowerBound(leaf.entries, at.entry.position);
  const replaces = leaf.entries[index]?.position === at.entry.position;
  leaf.entries.splice(index, replaces ? 1 : 0, at.entry);
  return leaf.entries.length > leafEntries && at.level < maxLevel ? split(leaf, at) : leaf;
}

/** A trie of entries in the order of their positions. */
function build(entries: DirectoryEntry[], at: { epoch: number; level: number }): Node | undefined {
  const { epoch, level } = at;
  if (entries.length === 0) return undefined;
  if (entries.length <= leafEntries || level === maxLevel) return { type: 'leaf', epoch, entries };
  const children: (Node | undefined)[] = [];
  for (let slot = 0, start = 0; slot < 32; slot++) {
    let end = start;
    while (end < entries.length && slotAt(entries[end]?.position ?? 0, level) === slot) end += 1;
    children.push(build(entries.slice(start, end), { epoch, level: level + 1 }));
    start = end;
  }
  return { type: 'branch', epoch, children };
}

function split(leaf: Leaf, at: { epoch: number; level: number }): Node {
  let branch: Node = {
    type: 'branch',
    epoch: at.epoch,
    children: new Array<Node | undefined>(32).fill(undefined),
  };
  for (const entry of leaf.entries) branch = insert(branch, { entry, epoch: at.epoch, level: at.level });
  return branch;
}

function remove(
  node: Node | undefined,
  at: { entry: DirectoryEntry; epoch: number; level: number },
): Node | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'leaf') {
    const entries = node.entries.filter((entry) => entry !== at.entry);
    return entries.length === 0 ? undefined : { type: 'leaf', epoch: at.epoch, entries };
  }
  const branch = ownedBranch(node, at.epoch);
  const slot = slotAt(at.entry.position, at.level);
  branch.children[slot] = remove(branch.children[slot], { ...at, level: at.level + 1 });
  return branch.children.every((child) => child === undefined) ? undefined : branch;
}

function ownedBranch(branch: Branch, epoch: number): Branch {
  return branch.epoch === epoch ? branch : { type: 'branch', epoch, children: branch.children.slice() };
}

function lowerBound(entries: readonly DirectoryEntry[], position: number): number {
  let low = 0;
  for (let high = entries.length; low < high; ) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry && entry.position < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function iterate(
  node: Node,
  at: { from: number; level: number; visit: (entry: DirectoryEntry) => boolean },
): boolean {
  if (node.type === 'leaf') {
    for (let index = lowerBound(node.entries, at.from); index < node.entries.length; index++) {
      const entry = node.entries[index];
      if (entry && !at.visit(entry)) return false;
    }
    return true;
  }
  for (let slot = slotAt(at.from, at.level); slot < node.children.length; slot++) {
    const child = node.children[slot];
    const from = slot === slotAt(at.from, at.level) ? at.from : 0;
    if (child && !iterate(child, { from, level: at.level + 1, visit: at.visit })) return false;
  }
  return true;
}

function compare(
  before: Node | undefined,
  after: Node | undefined,
  at: { level: number; names: Set<ByteString> },
): void {
  if (before === after) return;
  if (before?.type === 'branch' && after?.type === 'branch') {
    for (let slot = 0; slot < 32; slot++) {
      compare(before.children[slot], after.children[slot], { level: at.level + 1, names: at.names });
    }
    return;
  }
  const old = new Map<ByteString, DirectoryEntry>();
  if (before)
    iterate(before, { from: 0, level: at.level, visit: (entry) => Boolean(old.set(entry.name, entry)) });
  const visit = (entry: DirectoryEntry): boolean => {
    if (old.get(entry.name)?.ino !== entry.ino) at.names.add(entry.name);
    old.delete(entry.name);
    return true;
  };
  if (after) iterate(after, { from: 0, level: at.level, visit });
  for (const name of old.keys()) at.names.add(name);
}
