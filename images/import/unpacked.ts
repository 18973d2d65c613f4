import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import xz from 'xz-decompress';

type Pieces = AsyncIterable<Uint8Array>;

/** What files of a compression begin with, and how they are read. */
const compressions: readonly { magic: readonly number[]; unpack: (pieces: Pieces) => Pieces }[] = [
  { magic: [0x1f, 0x8b], unpack: (pieces) => through(pieces, createGunzip()) },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], unpack: (pieces) => through(pieces, createZstdDecompress()) },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], unpack: throughXz },
];
const bzip2Magic = Buffer.from('BZh');
const longestMagic = 6;

/** The content of a stream that may be compressed, told by how it begins. @throws RangeError for one that we do not read */
export async function* unpacked(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < longestMagic) {
    const { done, value } = await source.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  if (head.subarray(0, bzip2Magic.length).equals(bzip2Magic))
    throw new RangeError('it is compressed by bzip2, which is not read here: use gzip, xz or zstd');
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield head;
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  const found = compressions.find(({ magic }) => magic.every((byte, at) => head[at] === byte));
  yield* found ? found.unpack(whole()) : whole();
}

/** Its first failure is that of the stream, which the loop throws. */
function through(pieces: Pieces, unpacking: NodeJS.ReadWriteStream): Pieces {
  pipeline(Readable.from(pieces), unpacking).catch(() => {});
  return unpacking as unknown as Pieces;
}

function throughXz(pieces: Pieces): Pieces {
  return new xz.XzReadableStream(Readable.toWeb(Readable.from(pieces)) as ReadableStream<Uint8Array>);
}
