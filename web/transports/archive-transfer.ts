import { proxy, type Remote, releaseProxy, transfer } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type { ArchiveReader } from '../../protocol/sandbox.ts';

/** An archive for the other side of a port: it stays here and is read from there, its pieces handed over. */
export function archiveByReference(reader: ArchiveReader): ArchiveReader {
  return proxy({
    read: async () => {
      const piece = await reader.read();
      return piece && transfer(piece, [piece.bytes.buffer]);
    },
    close: () => reader.close(),
  });
}

/** An archive that is on the other side of a port. */
export function remoteArchive(
  value: ArchiveReader,
  call: <T>(promise: Promise<T>) => Promise<T>,
): ArchiveReader {
  const remote = value as unknown as Remote<ArchiveReader>;
  let closed: Promise<void> | undefined;
  return {
    read: async () => {
      if (closed) throw new SandboxError('connection-lost', 'The archive was closed');
      return call(remote.read());
    },
    close: () => {
      closed ??= call(remote.close()).finally(() => remote[releaseProxy]());
      return closed;
    },
  };
}
