import { proxy, type Remote, releaseProxy, transfer } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type { ExportPiece } from '../../protocol/sandbox/transfer.ts';

/** An archive or an export. */
interface PieceReader<Piece extends ExportPiece> {
  read(): Promise<Piece | undefined>;
  close(): Promise<void>;
}

/** An archive or an export for the other side of a port: it stays here and is read from there, its pieces handed over. */
export function archiveByReference<Piece extends ExportPiece>(
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

/** An archive or an export that is on the other side of a port. */
export function remoteArchive<Piece extends ExportPiece>(
  value: PieceReader<Piece>,
  call: <T>(promise: Promise<T>) => Promise<T>,
): PieceReader<Piece> {
  const remote = value as unknown as Remote<PieceReader<ExportPiece>>;
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
