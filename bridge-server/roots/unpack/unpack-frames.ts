import { type ByteString, writeByteString } from '../../../tree/content/byte-string.ts';
import { majorOf, minorOf } from '../../../tree/live/device-number.ts';
import type { TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { type HostAbilities, supportedId, supportedXattrs } from '../supported-metadata.ts';

/** What guest/unpack is told; its protocol.h says how. */
const frameKinds = { entry: 1, data: 2, link: 3, whiteout: 4, end: 5 } as const;

const frameHeaderBytes = 5;
const frameBodyBytes = 65_536;
/** Frames given to the program at a time: one by one they would be a system call each. */
const batchBytes = 262_144;
/** Leaves an owner as it is. */
const noId = 0xffff_ffff;

/** Frames in one piece of memory, as many as are written at a time. */
export class UnpackBatch {
  #bytes = newBytes();
  #at = 0;

  /** Whether `take` is to be called before more is added. */
  get isFull(): boolean {
    return this.#at >= batchBytes;
  }

  /** What was added, which is the caller's. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#at);
    this.#bytes = newBytes();
    this.#at = 0;
    return taken;
  }

  /** Makes `entry` at `path`, with as much of its metadata as the host holds; of a file, its data follows. */
  entry(path: ByteString, entry: TreeEntry, abilities: HostAbilities): void {
    const target = entry.target ?? '';
    this.#frame(frameKinds.entry, () => {
      this.#u32(entry.mode);
      this.#u32(abilities.hasIds ? supportedId(entry.uid, abilities) : noId);
      this.#u32(abilities.hasIds ? supportedId(entry.gid, abilities) : noId);
      this.#u32(majorOf(entry.rdev));
      this.#u32(minorOf(entry.rdev));
      this.#u64(entry.sizeBytes);
      this.#u64(entry.mtimeSeconds);
      this.#u32(entry.mtimeNanoseconds);
      this.#u16(path.length);
      this.#u16(target.length);
      this.#text(path);
      this.#text(target);
      for (const [name, value] of supportedXattrs(entry, abilities)) {
        this.#bytes[this.#at++] = name.length;
        this.#u16(value.length);
        this.#text(name);
        this.#raw(value);
      }
    });
  }

  /** Bytes of the file that was added last. */
  data(offset: number, bytes: Uint8Array): void {
    this.#frame(frameKinds.data, () => {
      this.#u64(offset);
      this.#raw(bytes);
    });
  }

  /** Makes `path` another name of `to`. */
  link(path: ByteString, to: ByteString): void {
    this.#frame(frameKinds.link, () => {
      this.#u16(path.length);
      this.#text(path);
      this.#text(to);
    });
  }

  /** Hides what layers below have at `path`. */
  whiteout(path: ByteString): void {
    this.#frame(frameKinds.whiteout, () => this.#text(path));
  }

  end(): void {
    this.#frame(frameKinds.end, () => {});
  }

  #frame(kind: number, writeBody: () => void): void {
    const start = this.#at;
    this.#at += frameHeaderBytes;
    writeBody();
    this.#bytes.writeUInt32LE(this.#at - start - frameHeaderBytes, start);
    this.#bytes[start + frameHeaderBytes - 1] = kind;
  }

  #u16(value: number): void {
    this.#at = this.#bytes.writeUInt16LE(value, this.#at);
  }

  #u32(value: number): void {
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  /** Of a number that may be negative: a time before 1970. */
  #u64(value: number): void {
    this.#at = this.#bytes.writeBigInt64LE(BigInt(value), this.#at);
  }

  #text(text: ByteString): void {
    this.#at += writeByteString(text, this.#bytes, this.#at);
  }

  #raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }
}

function newBytes(): Buffer {
  return Buffer.allocUnsafeSlow(batchBytes + frameHeaderBytes + frameBodyBytes);
}
