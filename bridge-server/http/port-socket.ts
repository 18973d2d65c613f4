import type { WebSocket } from 'ws';
import { SandboxError } from '../../protocol/errors.ts';
import type { ByteStream } from '../../protocol/sandbox/network.ts';
import type { Lease } from '../open-sandboxes.ts';
import type { Metrics } from './metrics.ts';
import { failSocket, handMessagesOn, sendBytes, tellClient } from './socket-messages.ts';

export interface PortOptions {
  /** Let go of when the connection has ended. */
  readonly lease: Lease;
  /** The connection to the port, which is the socket's from now on. */
  readonly stream: ByteStream;
  readonly metrics: Metrics;
}

/**
 * Carries a connection to a port of a sandbox on a socket: binary messages are its bytes. Each side ends its direction
 * by the text message `{"type":"end"}`; after both, the socket closes. Both ways wait for who is slow. When the socket
 * closes, so does the connection (H-8).
 */
export async function servePort(socket: WebSocket, { lease, stream, metrics }: PortOptions): Promise<void> {
  using _lease = lease;
  using _counted = { [Symbol.dispose]: metrics.socketOpened('port') };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const written = Promise.withResolvers<void>();
  handMessagesOn(socket, async ({ bytes, isBinary }) => {
    if (isBinary) {
      metrics.moved('in', { type: 'port', bytes: bytes.length });
      return stream.write(bytes);
    }
    assertEnd(bytes);
    await stream.end();
    written.resolve();
  });
  try {
    const ended = Promise.all([sendAll(stream, { socket, metrics }), written.promise]);
    await Promise.race([ended.then(() => socket.close(1000)), closed]);
  } catch (cause) {
    failSocket(socket, cause);
  } finally {
    await stream.close();
  }
  await closed;
}

async function sendAll(
  stream: ByteStream,
  { socket, metrics }: { readonly socket: WebSocket; readonly metrics: Metrics },
): Promise<void> {
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
    metrics.moved('out', { type: 'port', bytes: bytes.length });
    await sendBytes(socket, bytes);
  }
  tellClient(socket, { type: 'end' });
}

function assertEnd(bytes: Uint8Array): void {
  if (isEnd(Buffer.from(bytes).toString())) return;
  throw new SandboxError('protocol-violation', 'Cannot read the message: it is not {"type":"end"}');
}

function isEnd(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text);
    return JSON.stringify(message) === '{"type":"end"}';
  } catch {
    return false;
  }
}
