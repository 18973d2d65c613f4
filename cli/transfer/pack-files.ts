import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink, stat } from 'node:fs/promises';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import {
  type ByteString,
  readByteString,
  toByteString,
  toDisplayText,
} from '../../tree/content/byte-string.ts';
import { encodeTarHeader } from '../../tree/tar/encode-tar-header.ts';
import { type TarEntry, tarBlockBytes } from '../../tree/tar/tar-entry.ts';
import { plainText } from '../output/plain-text.ts';
import { fileError } from './file-ends.ts';

/** What has been copied. */
export interface CopiedFiles {
  /** Files and links. */
  files: number;
  /** Of files. */
  bytes: number;
  /** Paths of what is neither a file, a directory nor a link, or cannot be read by its name; for people. */
  readonly leftOut: string[];
}

/** Files are read in pieces of this size. */
const readBytes = 262_144;

/**
 * A file or a directory of this host as a tar archive, in which it is called `name`, or `.`. A link is followed where it is
 * `path` itself, and else a link. Names are bytes. Counts in `totals` what has been read.
 * @throws not-found, forbidden, busy where a file shrinks while it is read, aborted
 */
export async function* packFiles(
  path: string,
  {
    name,
    totals,
    signal,
  }: { readonly name: string; readonly totals: CopiedFiles; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  const from = Buffer.from(path);
  yield* packOne(from, toByteString(name), await reading(from, () => stat(from)));
  yield new Uint8Array(2 * tarBlockBytes);

  async function* packOne(source: Buffer, as: ByteString, found: Stats): AsyncGenerator<Uint8Array, void> {
    throwIfAborted(signal, `Cannot copy ${display(source)}`);
    if (found.isDirectory()) {
      yield encodeTarHeader(entryOf(found, { type: 'directory', path: `${as}/` }));
      const names = await reading(source, () => readdir(source, { encoding: 'buffer' }));
      for (const below of names.sort(Buffer.compare)) {
        const child = Buffer.concat([source, Buffer.from('/'), below]);
        const stats = await reading(child, () => lstat(child));
        yield* packOne(child, `${as}/${readByteString(below, 0, below.length)}`, stats);
      }
    } else if (found.isFile()) {
      yield* packFile(source, as);
    } else if (found.isSymbolicLink()) {
      const target = await reading(source, () => readlink(source, { encoding: 'buffer' }));
      const linkPath = readByteString(target, 0, target.length);
      yield encodeTarHeader(entryOf(found, { type: 'symlink', path: as, linkPath }));
      totals.files += 1;
    } else {
      totals.leftOut.push(display(source));
    }
  }

  async function* packFile(source: Buffer, as: ByteString): AsyncGenerator<Uint8Array, void> {
    const { O_RDONLY, O_NONBLOCK } = constants;
    await using file = await reading(source, () => open(source, O_RDONLY | O_NONBLOCK));
    const found = await file.stat();
    yield encodeTarHeader(entryOf(found, { type: 'file', path: as, sizeBytes: found.size }));
    const padding = (tarBlockBytes - (found.size % tarBlockBytes)) % tarBlockBytes;
    for (let left = found.size; left > 0; ) {
      throwIfAborted(signal, `Cannot copy ${display(source)}`);
      const count = Math.min(readBytes, left);
      const bytes = new Uint8Array(count + padding);
      const { bytesRead } = await reading(source, () => file.read(bytes, 0, count));
      if (bytesRead === 0)
        throw new SandboxError('busy', `Cannot copy ${display(source)}: it got shorter while it was read`);
      left -= bytesRead;
      totals.bytes += bytesRead;
      yield bytes.subarray(0, bytesRead + (left === 0 ? padding : 0));
    }
    totals.files += 1;
  }
}

function entryOf(
  { mode, mtimeMs }: Stats,
  rest: Pick<TarEntry, 'type' | 'path'> & Partial<Pick<TarEntry, 'sizeBytes' | 'linkPath'>>,
): TarEntry {
  const mtimeSeconds = Math.floor(mtimeMs / 1000);
  return {
    ...{ permissions: mode & 0o7777, uid: 0, gid: 0, sizeBytes: 0, linkPath: '', major: 0, minor: 0 },
    ...{ mtimeSeconds, mtimeNanoseconds: Math.floor((mtimeMs - mtimeSeconds * 1000) * 1_000_000) },
    xattrs: new Map(),
    ...rest,
  };
}

function display(path: Buffer): string {
  return plainText(toDisplayText(readByteString(path, 0, path.length)));
}

async function reading<T>(path: Buffer, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, `read ${display(path)}`);
  }
}
