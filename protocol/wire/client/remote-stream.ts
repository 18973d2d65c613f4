import { listenAbort } from '../../abort.ts';
import { ByteRendezvous } from '../../byte-rendezvous.ts';
import type { SandboxError } from '../../errors.ts';
import type { ByteStream } from '../../sandbox/network.ts';
import { violation } from '../frames/frame.ts';
import type { WireRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';
import { IncomingStream, type StreamMessage } from './incoming-stream.ts';
import { RemoteInput } from './remote-input.ts';

type StreamEvent =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'fail'; readonly error: SandboxError };

/**
 * Opens a byte stream behind `session`. What comes is ahead of `read` as far as the window goes. `closing` aborts when
 * its sandbox is closed here, and the stream with it.
 */
export async function connectRemote(
  session: ClientSession,
  { request, closing }: { readonly request: WireRequest; readonly closing: AbortSignal },
): Promise<ByteStream> {
  const incoming = new ByteRendezvous();
  const stream = new IncomingStream<StreamEvent>({
    decode: streamEvent,
    listener: (event) => {
      if (event.type === 'bytes') return incoming.give(event.bytes);
      if (event.type === 'end') incoming.end();
      else incoming.fail(event.error);
    },
  });
  const { id: on } = await session.call(request, { stream });
  const input = new RemoteInput(session, {
    write: { method: 'stream.write', on },
    end: { method: 'stream.end', on },
  });
  const unlisten = listenAbort(closing, () => incoming.close());
  let closed: Promise<void> | undefined;
  return {
    read: () => incoming.read(),
    write: (bytes) => input.write(bytes),
    end: () => input.end(),
    close: () => {
      closed ??= (async () => {
        unlisten();
        incoming.close();
        await session.call({ method: 'close', on }, { isRelease: true });
      })();
      return closed;
    },
  };
}

function streamEvent(message: StreamMessage): StreamEvent {
  switch (message.type) {
    case 'stdout':
      return { type: 'bytes', bytes: message.bytes };
    case 'end':
      return { type: 'end' };
    case 'fail':
      return message;
    default:
      throw violation('what is no bytes on a byte stream');
  }
}
