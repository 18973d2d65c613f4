import type { FileInfo, SandboxConnection, TreeRef } from '../protocol/sandbox.ts';
import { type ByteString, toByteString } from '../tree/live/byte-string.ts';
import { encodeTarHeader } from '../tree/tar/encode-tar-header.ts';
import { type TarEntry, tarBlockBytes } from '../tree/tar/tar-entry.ts';

const noXattrs: ReadonlyMap<ByteString, Uint8Array> = new Map();

/**
 * The files, directories and links below a directory as a tar archive, one after the other: an `Archive` has all of a
 * sandbox, the files of its image too. Sockets, fifos and devices are left out, and hard links become files.
 * @throws not-found; limit-exceeded for a file that is too large to be read at once
 */
export async function* archiveDirectory(
  connection: SandboxConnection,
  { path, at }: { readonly path: string; readonly at: TreeRef },
): AsyncGenerator<Uint8Array, void> {
  yield* membersBelow(connection, { path, at, below: '' });
  yield new Uint8Array(2 * tarBlockBytes);
}

async function* membersBelow(
  connection: SandboxConnection,
  { path, at, below }: { path: string; at: TreeRef; below: string },
): AsyncGenerator<Uint8Array, void> {
  for (const file of await connection.listFiles(path, at)) {
    const name = `${below}${file.name}`;
    if (file.type === 'directory') {
      yield header(file, { type: 'directory', path: `${name}/` });
      yield* membersBelow(connection, { path: file.path, at, below: `${name}/` });
    } else if (file.type === 'symlink') {
      yield header(file, { type: 'symlink', path: name });
    } else if (file.type === 'file') {
      const content = await connection.readFile(file.path, at);
      yield header(file, { type: 'file', path: name, sizeBytes: content.length });
      if (content.length > 0) yield content;
      const padding = (tarBlockBytes - (content.length % tarBlockBytes)) % tarBlockBytes;
      if (padding > 0) yield new Uint8Array(padding);
    }
  }
}

function header(
  file: FileInfo,
  { type, path, sizeBytes = 0 }: Pick<TarEntry, 'type' | 'path'> & { sizeBytes?: number },
): Uint8Array {
  return encodeTarHeader({
    type,
    path: toByteString(path),
    permissions: file.mode & 0o7777,
    uid: file.uid,
    gid: file.gid,
    mtimeSeconds: Math.floor(file.modifiedAtMs / 1_000),
    mtimeNanoseconds: 0,
    sizeBytes,
    linkPath: toByteString(file.target ?? ''),
    major: 0,
    minor: 0,
    xattrs: noXattrs,
  });
}
