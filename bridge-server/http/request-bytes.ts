import type { IncomingMessage } from 'node:http';
import { SandboxError } from '../../protocol/errors.ts';

/**
 * The bytes of a request's body as they come. What is not read is left to the server, which drops it after the answer.
 *
 * Read from Node's own stream, never from the `body` of the web request made of it: Node's adapter between the two
 * throws where nobody can catch it when it is cancelled at the wrong time, and keeps what nobody reads in memory.
 * @throws aborted when the client goes before their end
 */
export async function* requestBytes(incoming: IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new SandboxError('aborted', 'Cannot read the body: the client has gone', { cause });
  }
}
