import type { ByteReader } from '../content/byte-reader.ts';
import type { ByteString } from '../content/byte-string.ts';
import type { ByteWriter } from '../content/byte-writer.ts';
import { type FileContent, PackedContent, zeroContent } from '../content/file-content.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import { isDevice, isDirectory, isFile, isSymlink, isValidMode } from '../live/file-mode.ts';
import { checkName } from '../live/name-rules.ts';

const maxUint32 = 0xffff_ffff;
const noXattrs: ReadonlyMap<ByteString, Uint8Array> = new Map();
const contentTags = ['zeros', 'chunk', 'list'] as const;

/** One name in a stored directory, with all stored attributes of its inode (OB-9). */
export interface TreeEntry {
  /** `''` for the root directory. */
  readonly name: ByteString;
  /** S_IFMT bits and permissions. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  /** Of a device, else 0. */
  readonly rdev: number;
  /** Of a regular file, else 0. */
  readonly sizeBytes: number;
  /** Of a regular file. */
  readonly content: FileContent | undefined;
  /** Of a directory: its page, or its index when it has several. */
  readonly directory: ObjectId | undefined;
  /** Of a symlink. */
  readonly target: ByteString | undefined;
  readonly xattrs: ReadonlyMap<ByteString, Uint8Array>;
}

/** Appends the canonical form of `entry`. */
export function encodeTreeEntry(entry: TreeEntry, writer: ByteWriter): void {
  writer.text(entry.name);
  writer.varint(entry.mode);
  writer.varint(entry.uid);
  writer.varint(entry.gid);
  writer.signed(entry.mtimeSeconds);
  writer.varint(entry.mtimeNanoseconds);
  if (entry.content) encodeContent(entry.content, entry.sizeBytes, writer);
  if (entry.directory) writer.id(entry.directory);
  if (entry.target !== undefined) writer.text(entry.target);
  if (isDevice(entry.mode)) writer.varint(entry.rdev);
  writer.varint(entry.xattrs.size);
  for (const name of [...entry.xattrs.keys()].sort()) {
    const value = entry.xattrs.get(name) ?? new Uint8Array(0);
    writer.text(name);
    writer.varint(value.length);
    writer.raw(value);
  }
}

/** Reads one entry; the root's has no name. @throws RangeError on anything that `encodeTreeEntry` does not write */
export function decodeTreeEntry(reader: ByteReader, options: { readonly isRoot?: boolean } = {}): TreeEntry {
  const name = reader.text(treeLimits.nameBytes);
  if (options.isRoot ? name !== '' : checkName(name) < 0) reader.refuse('an entry has a bad name');
  const mode = reader.varint(maxUint32);
  if (!isValidMode(mode)) reader.refuse('an entry has a bad mode');
  const uid = reader.varint(maxUint32);
  const gid = reader.varint(maxUint32);
  const mtimeSeconds = reader.signed();
  if (Math.abs(mtimeSeconds) > treeLimits.timeSeconds) reader.refuse('a time is out of range');
  const mtimeNanoseconds = reader.varint(999_999_999);
  const sizeBytes = isFile(mode) ? reader.varint(treeLimits.fileBytes) : 0;
  const content = isFile(mode) ? decodeContent(reader, sizeBytes) : undefined;
  const directory = isDirectory(mode) ? reader.id() : undefined;
  const target = isSymlink(mode) ? decodeTarget(reader) : undefined;
  const rdev = isDevice(mode) ? reader.varint(maxUint32) : 0;
  const xattrs = decodeXattrs(reader);
  return {
    name,
    mode,
    uid,
    gid,
    mtimeSeconds,
    mtimeNanoseconds,
    rdev,
    sizeBytes,
    content,
    directory,
    target,
    xattrs,
  };
}

/** Whether two entries describe equal inodes; names are not compared. */
export function sameInode(a: TreeEntry, b: TreeEntry): boolean {
  return sameContent(a, b) && sameMetadata(a, b);
}

/** Whether two entries have the same type and content; for directories, the same files below. */
export function sameContent(a: TreeEntry, b: TreeEntry): boolean {
  return (
    a.mode >> 12 === b.mode >> 12 &&
    a.rdev === b.rdev &&
    a.sizeBytes === b.sizeBytes &&
    contentId(a) === contentId(b) &&
    a.target === b.target
  );
}

/** The object with an entry's content: a chunk, a chunk list, or a directory; if there is one. */
export function contentId(entry: TreeEntry): ObjectId | undefined {
  if (entry.content === undefined || entry.content.type === 'zeros') return entry.directory;
  return entry.content.id;
}

/** Whether two entries have the same mode, owner, time and extended attributes. */
export function sameMetadata(a: TreeEntry, b: TreeEntry): boolean {
  return (
    a.mode === b.mode &&
    a.uid === b.uid &&
    a.gid === b.gid &&
    a.mtimeSeconds === b.mtimeSeconds &&
    a.mtimeNanoseconds === b.mtimeNanoseconds &&
    a.xattrs.size === b.xattrs.size &&
    [...a.xattrs].every(([name, value]) => sameBytes(value, b.xattrs.get(name)))
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function encodeContent(content: FileContent, sizeBytes: number, writer: ByteWriter): void {
  writer.varint(sizeBytes);
  writer.byte(contentTags.indexOf(content.type));
  if (content.type !== 'zeros') writer.id(content.id);
  if (content.type === 'list') writer.varint(content.chunks);
}

function decodeContent(reader: ByteReader, sizeBytes: number): FileContent {
  const tag = contentTags[reader.byte()];
  const expected = sizeBytes > treeLimits.extentBytes ? 'list' : 'chunk';
  if (tag === 'zeros') return zeroContent;
  if (tag !== expected || sizeBytes === 0)
    return reader.refuse('the form of a content does not fit its size');
  const id = reader.packedId();
  if (tag === 'chunk') return new PackedContent(id, { type: tag, chunks: 1 });
  const chunks = reader.varint(Math.ceil(sizeBytes / treeLimits.extentBytes));
  if (chunks === 0) reader.refuse('a list has no chunks');
  return new PackedContent(id, { type: tag, chunks });
}

function decodeTarget(reader: ByteReader): ByteString {
  const target = reader.text(treeLimits.targetBytes);
  if (target === '' || target.includes('\0')) reader.refuse('a symlink has a bad target');
  return target;
}

function decodeXattrs(reader: ByteReader): ReadonlyMap<ByteString, Uint8Array> {
  let count = reader.varint(treeLimits.xattrBytes);
  if (count === 0) return noXattrs;
  const xattrs = new Map<ByteString, Uint8Array>();
  let total = 0;
  let last = '';
  for (; count > 0; count--) {
    const name = reader.text(treeLimits.xattrNameBytes);
    if (name <= last || name.includes('\0')) reader.refuse('extended attributes are not in order');
    const value = reader.raw(reader.varint(treeLimits.xattrBytes));
    total += name.length + value.length;
    if (total > treeLimits.xattrBytes) reader.refuse('extended attributes are too large');
    xattrs.set(name, value);
    last = name;
  }
  return xattrs;
}
