import { type ByteString, writeByteString } from '../content/byte-string.ts';
import { isDirectory, isSymlink } from '../live/file-mode.ts';
import type { Ino, InodeView } from '../live/file-tree.ts';

const headerBytes = 7;
const qidTypeDirectory = 0x80;
const qidTypeSymlink = 0x02;

/**
 * The same for every file, always. With `cache=loose` Linux takes a cached inode for another file
 * when the version differs from the one it first saw (v9fs_test_inode_dotl), so a version that
 * moves with each write splits a hard-linked or merely re-looked-up file into two page caches. Not
 * 0: Linux from 6.4 on does not cache such files at all.
 */
const qidVersion = 1;

/** Writes one reply, little-endian, into a buffer that all replies share. Callers keep within it. */
export class ReplyWriter {
  /** Made with the first reply. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** What the client is told instead of some inode numbers. */
  toldNumbers: ReadonlyMap<Ino, Ino> | undefined;
  readonly #sizeBytes: number;
  /** Where the next field goes, from the start of the message. */
  at: number = headerBytes;

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
  }

  /** Forgets the body that was written so far. */
  begin(): void {
    if (this.bytes.length === 0) this.bytes = new Uint8Array(this.#sizeBytes);
    this.at = headerBytes;
  }

  /** Fills in the header; a view of the whole message, valid until the next `begin`. */
  finish(type: number, tag: number): Uint8Array {
    const end = this.at;
    this.at = 0;
    this.u32(end);
    this.u8(type);
    this.u16(tag);
    return this.bytes.subarray(0, end);
  }

  u8(value: number): void {
    this.bytes[this.at++] = value;
  }

  u16(value: number): void {
    const { bytes, at } = this;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    this.at = at + 2;
  }

  u32(value: number): void {
    const { bytes, at } = this;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
    this.at = at + 4;
  }

  /** Any safe integer; a negative one in two's complement. */
  u64(value: number): void {
    this.u32(value >>> 0);
    this.u32(Math.floor(value / 0x1_0000_0000));
  }

  text(value: ByteString): void {
    this.u16(value.length);
    this.at += writeByteString(value, this.bytes, this.at);
  }

  /** What identifies a file to the client: kind, version and inode number. */
  qid(inode: InodeView): void {
    this.u8(qidType(inode.mode));
    this.u32(qidVersion);
    this.u64(this.toldNumbers?.get(inode.ino) ?? inode.ino);
  }

  /** Overwrites a field that had to wait for what follows it. */
  patchU16(at: number, value: number): void {
    const end = this.at;
    this.at = at;
    this.u16(value);
    this.at = end;
  }

  /** Overwrites a field that had to wait for what follows it. */
  patchU32(at: number, value: number): void {
    const end = this.at;
    this.at = at;
    this.u32(value);
    this.at = end;
  }
}

function qidType(mode: number): number {
  if (isDirectory(mode)) return qidTypeDirectory;
  return isSymlink(mode) ? qidTypeSymlink : 0;
}
