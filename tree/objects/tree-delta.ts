import { ByteReader } from '../content/byte-reader.ts';
import type { ByteString } from '../content/byte-string.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import { isDirectory } from '../live/file-mode.ts';
import type { Ino, Timestamp } from '../live/file-tree.ts';
import type { Link } from '../live/link-list.ts';
import { checkName } from '../live/name-rules.ts';
import { contentId, decodeTreeEntry, encodeTreeEntry, type TreeEntry } from './tree-entry.ts';

/** A name in a directory, and its inode now; 0 if the name is gone. */
interface NameChange {
  readonly name: ByteString;
  readonly ino: Ino;
}

/** An inode as it is in the tree. */
export interface DeltaInode {
  /** Without a name; of a directory, without what is in it. */
  readonly entry: TreeEntry;
  readonly nlink: number;
  /** All its names; none of a removed file that is open. */
  readonly links: readonly Link[];
  readonly version: number;
  readonly atime: Timestamp;
  readonly ctime: Timestamp;
  /** Of a directory: names that differ from those of the same inode of the base, by their bytes. */
  readonly names: readonly NameChange[];
}

/** One inode number for which a tree and its base differ; `inode` is missing where the tree has none. */
interface InodeChange {
  readonly ino: Ino;
  readonly inode: DeltaInode | undefined;
}

/**
 * The tree of a running machine as a value. A memory image needs it beside the stored tree, because the guest's
 * kernel knows files by inode numbers, and has files open that have no name. It is the difference from a stored
 * tree as loading numbers that one (protocol/SPEC.md, OB-16).
 */
export interface TreeDelta {
  /** The tree root of the base. */
  readonly base: ObjectId;
  readonly nextIno: Ino;
  readonly usedBytes: number;
  readonly usedInodes: number;
  readonly depthBound: number;
  /** In the order of their numbers. */
  readonly changes: readonly InodeChange[];
}

/** A placeholder in a directory's entry for the id of its page or index. */
const noDirectory = '0'.repeat(64) as ObjectId;
const maxInodes = 2_000_000;
const maxCount = Number.MAX_SAFE_INTEGER;

export function encodeTreeDelta(delta: TreeDelta): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(objectKinds.treeDelta);
  writer.id(delta.base);
  for (const count of [delta.nextIno, delta.usedBytes, delta.usedInodes, delta.depthBound])
    writer.varint(count);
  writer.varint(delta.changes.length);
  let last = 0;
  for (const { ino, inode } of delta.changes) {
    writer.varint(ino - last);
    writer.byte(inode ? 1 : 0);
    if (inode) writeInode(inode, writer);
    last = ino;
  }
  return writer.finish();
}

/** @throws RangeError on anything that `encodeTreeDelta` does not write */
export function decodeTreeDelta(bytes: Uint8Array): TreeDelta {
  const reader = new ByteReader(bytes, 'tree delta');
  reader.kind(objectKinds.treeDelta);
  const base = reader.id();
  const nextIno = reader.varint(treeLimits.inodeNumber + 1);
  const usedBytes = reader.varint(treeLimits.fileBytes);
  const usedInodes = reader.varint(maxInodes);
  const depthBound = reader.varint(treeLimits.depth);
  const changes: InodeChange[] = [];
  let ino = 0;
  for (let left = reader.varint(maxInodes); left > 0; left--) {
    const step = reader.varint(treeLimits.inodeNumber);
    ino += step;
    if (step === 0 || ino >= nextIno) reader.refuse('an inode number is out of order');
    const isThere = reader.byte();
    if (isThere > 1) reader.refuse('a flag is neither 0 nor 1');
    changes.push({ ino, inode: isThere ? readInode(reader) : undefined });
  }
  reader.end();
  return { base, nextIno, usedBytes, usedInodes, depthBound, changes };
}

/** The ids that a tree delta refers to. @throws RangeError when it is not canonical */
export function treeDeltaReferences(bytes: Uint8Array): ObjectId[] {
  const { base, changes } = decodeTreeDelta(bytes);
  const contents = changes.flatMap(({ inode }) =>
    inode && !isDirectory(inode.entry.mode) ? (contentId(inode.entry) ?? []) : [],
  );
  return [...new Set([base, ...contents])];
}

function writeInode(inode: DeltaInode, writer: ByteWriter): void {
  const { entry } = inode;
  encodeTreeEntry(isDirectory(entry.mode) ? { ...entry, directory: noDirectory } : entry, writer);
  writer.varint(inode.nlink);
  writer.varint(inode.links.length);
  for (const { parent, name } of inode.links) {
    writer.varint(parent);
    writer.text(name);
  }
  writer.varint(inode.version);
  for (const { seconds, nanoseconds } of [inode.atime, inode.ctime]) {
    writer.signed(seconds);
    writer.varint(nanoseconds);
  }
  if (!isDirectory(entry.mode)) return;
  writer.varint(inode.names.length);
  for (const { name, ino } of inode.names) {
    writer.text(name);
    writer.varint(ino);
  }
}

function readInode(reader: ByteReader): DeltaInode {
  const entry = decodeTreeEntry(reader, { isRoot: true });
  const nlink = reader.varint(treeLimits.inodeNumber);
  const linkCount = reader.varint(treeLimits.hardLinks);
  const links = Array.from({ length: linkCount }, (): Link => {
    const parent = reader.varint(treeLimits.inodeNumber);
    return { parent, name: reader.text(treeLimits.nameBytes) };
  });
  const version = reader.varint(maxCount);
  const [atime, ctime] = [readTime(reader), readTime(reader)];
  const names = isDirectory(entry.mode) ? readNames(reader) : [];
  return { entry, nlink, links, version, atime, ctime, names };
}

function readTime(reader: ByteReader): Timestamp {
  const seconds = reader.signed();
  if (Math.abs(seconds) > treeLimits.timeSeconds) reader.refuse('a time is out of range');
  return { seconds, nanoseconds: reader.varint(999_999_999) };
}

function readNames(reader: ByteReader): NameChange[] {
  const names: NameChange[] = [];
  let last = '';
  for (let left = reader.varint(maxInodes); left > 0; left--) {
    const name = reader.text(treeLimits.nameBytes);
    if (checkName(name) < 0 || name <= last) reader.refuse('names are bad, or not in order');
    names.push({ name, ino: reader.varint(treeLimits.inodeNumber) });
    last = name;
  }
  return names;
}
