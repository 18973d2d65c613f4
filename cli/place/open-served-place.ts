import type { Socket } from 'node:net';
import { SandboxError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/schema.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { streamTransport } from '../../protocol/wire/transports/stream-transport.ts';
import type { Transport } from '../../protocol/wire/transports/transport.ts';
import type { CliContext } from '../context.ts';
import { askControl, connectControl } from '../control/control-client.ts';
import { assertNoHostOptions, assertSameNetwork } from './assert-same-host.ts';
import type { Place, PlaceOptions } from './place.ts';

/**
 * The sandboxes of a folder that another process of this user serves, through its socket; `undefined` where nobody
 * serves it. What is open there is shared: closing it here ends what was begun here, and nothing else.
 * @throws forbidden where another user serves it; invalid-argument for what that process would have to be told, such as
 * another network; connection-lost, version-mismatch, timeout
 */
export async function openServedPlace(
  folder: string,
  context: Pick<CliContext, 'signal' | 'environment'>,
  options: PlaceOptions = {},
): Promise<Place | undefined> {
  const { signal } = context;
  const holder = `the process that serves ${folder}`;
  const first = await connectTransport(folder);
  if (!first) return undefined;
  try {
    assertNoHostOptions(options, holder);
    assertSameNetwork(options, context, { served: first.network, holder });
  } catch (error) {
    first.socket.destroy();
    throw error;
  }
  let next: Transport | undefined = first.transport;
  const open = async (): Promise<Transport> => {
    const transport = next ?? (await connectTransport(folder))?.transport;
    next = undefined;
    if (transport) return transport;
    throw new SandboxError('connection-lost', `Nobody serves ${folder} any more`);
  };
  const { close, ...backend } = await openWire(open, { signal });
  const disk = first.hasDisk ? { disk: folder } : {};
  return { type: 'served', backend, name: folder, ...disk, [Symbol.asyncDispose]: close };
}

interface Served {
  readonly transport: Transport;
  readonly socket: Socket;
  readonly network: string | undefined;
  readonly hasDisk: boolean;
}

async function connectTransport(folder: string): Promise<Served | undefined> {
  const socket = await connectControl(folder);
  if (!socket) return undefined;
  try {
    const answer = await askControl(socket, { op: 'connect' });
    const transport = streamTransport(socket);
    // It was paused after the answer, so that nothing that comes next was lost.
    socket.resume();
    const said = isObject(answer) ? answer : {};
    const network = typeof said.network === 'string' ? said.network : undefined;
    return { transport, socket, network, hasDisk: said.hasDisk === true };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
