import { SandboxError } from '../../errors.ts';
import type { ArchivePiece, ArchiveReader } from '../../sandbox/transfer.ts';
import { pieceMissing } from '../../sandbox/transfer-table.ts';
import { violation } from '../frames/frame.ts';
import type { WireRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';
import { IncomingStream, type StreamMessage } from './incoming-stream.ts';

type ArchiveEvent =
  | { readonly type: 'piece'; readonly piece: ArchivePiece }
  | { readonly type: 'end' }
  | { readonly type: 'fail'; readonly error: SandboxError };

/** Opens an archive behind `session`. Its pieces come ahead of `read` as far as the window goes. */
export async function openRemoteArchive(
  session: ClientSession,
  request: WireRequest,
): Promise<ArchiveReader> {
  let next = Promise.withResolvers<ArchiveEvent>();
  let taken = Promise.withResolvers<void>();
  const stream = new IncomingStream<ArchiveEvent>({
    decode: archiveEvent,
    listener: (event) => {
      next.resolve(event);
      return taken.promise;
    },
  });
  const { id } = await session.call(request, { stream });
  let closed: Promise<void> | undefined;
  return {
    read: async () => {
      const event = await next.promise;
      // What had come before is nobody's any more.
      if (closed) throw new SandboxError('connection-lost', 'Cannot read the archive: it is closed');
      if (event.type === 'fail') throw event.error;
      if (event.type === 'end') return undefined;
      next = Promise.withResolvers();
      taken.resolve();
      taken = Promise.withResolvers();
      return event.piece;
    },
    close: () => {
      closed ??= closeArchive(session, { id, stream });
      return closed;
    },
  };
}

/** One that was read to its end is closed already. */
async function closeArchive(
  session: ClientSession,
  { id, stream }: { id: number; stream: IncomingStream<ArchiveEvent> },
): Promise<void> {
  if (!stream.isOver) await session.call({ method: 'close', on: id }, { isRelease: true });
}

function archiveEvent(message: StreamMessage): ArchiveEvent {
  switch (message.type) {
    case 'item': {
      const { missing } = pieceMissing(message.json, 'a piece of an archive');
      return { type: 'piece', piece: { bytes: message.bytes, missing } };
    }
    case 'end':
      return { type: 'end' };
    case 'fail':
      return message;
    default:
      throw violation('output on the stream of an archive');
  }
}
