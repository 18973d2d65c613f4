import { SandboxError } from '../../protocol/errors.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { streamTransport } from '../../protocol/wire/transports/stream-transport.ts';
import type { Transport } from '../../protocol/wire/transports/transport.ts';
import { askControl, connectControl } from '../control/control-client.ts';
import type { Place } from './place.ts';

/**
 * The sandboxes of a folder that another process of this user serves, through its socket; `undefined` where nobody
 * serves it. What is open there is shared: closing it here ends what was begun here, and nothing else.
 * @throws forbidden where another user serves it; connection-lost, version-mismatch, timeout
 */
export async function openServedPlace(folder: string, signal: AbortSignal): Promise<Place | undefined> {
  const first = await connectTransport(folder);
  if (!first) return undefined;
  let next: Transport | undefined = first;
  const open = async (): Promise<Transport> => {
    const transport = next ?? (await connectTransport(folder));
    next = undefined;
    if (transport) return transport;
    throw new SandboxError('connection-lost', `Nobody serves ${folder} any more`);
  };
  const { close, ...backend } = await openWire(open, { signal });
  return { type: 'served', backend, name: folder, [Symbol.asyncDispose]: close };
}

async function connectTransport(folder: string): Promise<Transport | undefined> {
  const socket = await connectControl(folder);
  if (!socket) return undefined;
  try {
    await askControl(socket, { op: 'connect' });
    const transport = streamTransport(socket);
    // It was paused after the answer, so that nothing that comes next was lost.
    socket.resume();
    return transport;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
