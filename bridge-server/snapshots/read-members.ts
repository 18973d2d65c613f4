import type { Readable } from 'node:stream';
import { limits } from '../../protocol/limits.ts';
import type { ByteString } from '../../tree/live/byte-string.ts';
import { decodeTarHeader } from '../../tree/tar/decode-tar-header.ts';
import { type PaxRecords, parsePaxRecords } from '../../tree/tar/pax-records.ts';
import { tarBlockBytes } from '../../tree/tar/tar-entry.ts';
import { tarLimits } from '../../tree/tar/tar-limits.ts';
import { type SparseRun, takeSparseMap } from './sparse-header.ts';

/** A member of an archive whose data has not been read. */
export interface DiskMember {
  readonly path: ByteString;
  /** With holes. */
  readonly sizeBytes: number;
  readonly xattrs: ReadonlyMap<ByteString, Uint8Array>;
  /** Where the data that follows goes. */
  readonly runs: readonly SparseRun[];
}

/**
 * Reads what GNU tar writes in pax format, sparse files included, one member at a time: unlike a
 * parser that is pushed into, it lets its user wait between two members. Holds one piece of input.
 */
export class MemberReader {
  readonly #input: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);
  #unread: { dataBytes: number; paddingBytes: number } = { dataBytes: 0, paddingBytes: 0 };

  constructor(input: Readable) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** The next member; what was not read of the last is skipped. @throws RangeError when the archive is malformed or ends early */
  async next(): Promise<DiskMember> {
    await this.skip(this.#unread.dataBytes + this.#unread.paddingBytes);
    let records: PaxRecords = new Map();
    for (;;) {
      const block = await this.#take(tarBlockBytes);
      const sparse = takeSparseMap(records, { maxRuns: limits.sparseRuns });
      const header = decodeTarHeader(block, records);
      const paddingBytes = (tarBlockBytes - (header.dataBytes % tarBlockBytes)) % tarBlockBytes;
      if (header.type === 'extended') {
        if (header.dataBytes > tarLimits.extendedHeaderBytes * 2) throw malformed('a header is too large');
        records = parsePaxRecords(await this.#take(header.dataBytes));
        await this.skip(paddingBytes);
        continue;
      }
      const { dataBytes, entry } = header;
      this.#unread = { dataBytes, paddingBytes };
      const runs = sparse?.runs ?? [{ offset: 0, length: dataBytes }];
      const sizeBytes = sparse?.sizeBytes ?? dataBytes;
      if (runs.reduce((sum, run) => sum + run.length, 0) !== dataBytes) throw malformed('a map does not fit');
      return { path: plainPath(entry.path), sizeBytes, xattrs: entry.xattrs, runs };
    }
  }

  /** Gives the next `length` bytes of the member's data to `take` in pieces, which are valid during the call. */
  async data(length: number, take: (bytes: Uint8Array) => void): Promise<void> {
    if (length > this.#unread.dataBytes) throw malformed('a member has less data than it says');
    this.#unread.dataBytes -= length;
    await this.#pass(length, take);
  }

  async skip(length: number): Promise<void> {
    await this.#pass(length, () => {});
    this.#unread = { dataBytes: 0, paddingBytes: 0 };
  }

  async #pass(length: number, take: (bytes: Uint8Array) => void): Promise<void> {
    for (let left = length; left > 0; ) {
      if (this.#piece.length === 0) await this.#fill();
      const part = this.#piece.subarray(0, left);
      this.#piece = this.#piece.subarray(part.length);
      left -= part.length;
      take(part);
    }
  }

  async #take(length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    let at = 0;
    await this.#pass(length, (part) => {
      bytes.set(part, at);
      at += part.length;
    });
    return bytes;
  }

  async #fill(): Promise<void> {
    const next = await this.#input.next();
    if (next.done) throw malformed('it ends early');
    this.#piece = next.value;
  }
}

function plainPath(path: ByteString): ByteString {
  const start = path.startsWith('./') ? 2 : 0;
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const plain = path.slice(start, Math.max(start, end));
  return plain === '.' ? '' : plain;
}

function malformed(why: string): RangeError {
  return new RangeError(`Cannot read tar: ${why}`);
}
