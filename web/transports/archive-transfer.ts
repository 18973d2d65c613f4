import { proxy, type Remote, releaseProxy, transfer } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type { ParcelPiece } from '../../protocol/sandbox/transfer.ts';

/** An archive or a parcel. */
interface PieceReader<Piece extends ParcelPiece> {
  read(): Promise<Piece | undefined>;
  close(): Promise<void>;
}

/** An archive or a parcel for the other side of a port: it stays here and is read from there, its pieces handed over. */
export function archiveByReference<Piece extends ParcelPiece>(
  reader: PieceReader<Piece>,
): PieceReader<Piece> {
  return proxy({
    read: async () => {
      const piece = await reader.read();
      return piece && transfer(piece, [piece.bytes.buffer]);
    },
    close: () => reader.close(),
  });
}

/** An archive or a parcel that is on the other side of a port. */
export function remoteArchive<Piece extends ParcelPiece>(
  value: PieceReader<Piece>,
  call: <T>(promise: Promise<T>) => Promise<T>,
): PieceReader<Piece> {
  const remote = value as unknown as Remote<PieceReader<ParcelPiece>>;
  let closed: Promise<void> | undefined;
  return {
    read: async () => {
      if (closed) throw new SandboxError('connection-lost', 'The archive was closed');
      return call(remote.read() as Promise<Piece | undefined>);
    },
    close: () => {
      closed ??= call(remote.close()).finally(() => remote[releaseProxy]());
      return closed;
    },
  };
}
