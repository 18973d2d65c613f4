import { listenAbort } from '../../abort.ts';
import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { parseFrame } from '../frames/frame.ts';
import { encodeGreeting, type Hello, readWelcome, type Welcome } from '../handshake.ts';
import type { Transport } from '../transports/transport.ts';

export interface GreetOptions {
  readonly hello: Hello;
  readonly signal: AbortSignal | undefined;
  /** Takes over the transport, before another message can come. What it throws ends the greeting. */
  readonly onWelcome: (transport: Transport, welcome: Welcome) => void;
}

/**
 * Opens a transport and says HELLO. @throws what the server refuses with; connection-lost, timeout, aborted
 */
export async function greetServer(
  connectTransport: () => Promise<Transport>,
  { hello, signal, onWelcome }: GreetOptions,
): Promise<void> {
  const greeted = Promise.withResolvers<void>();
  // Whatever ends it first is what counts; nobody need have asked by then.
  greeted.promise.catch(() => undefined);
  const timer = setTimeout(
    () => greeted.reject(new SandboxError('timeout', 'Cannot connect: the server did not answer in time')),
    limits.wireHandshakeTimeoutMs,
  );
  const unlisten = listenAbort(signal, () =>
    greeted.reject(new SandboxError('aborted', 'Cannot connect: aborted', { cause: signal?.reason })),
  );
  const opening = openTransport(connectTransport);
  try {
    const transport = await Promise.race([opening, greeted.promise.then(() => opening)]);
    transport.closed = (reason) => greeted.reject(cannotConnect(reason));
    transport.receive = (message) => {
      try {
        onWelcome(transport, readWelcome(parseFrame(message)));
        greeted.resolve();
      } catch (error) {
        greeted.reject(error);
      }
    };
    void transport.send(encodeGreeting('hello', hello));
    await greeted.promise;
  } catch (error) {
    const reason = SandboxError.from(error);
    opening.then(
      (transport) => transport.abort(reason.message),
      () => undefined,
    );
    throw reason;
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

async function openTransport(connectTransport: () => Promise<Transport>): Promise<Transport> {
  try {
    return await connectTransport();
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw cannotConnect(error instanceof Error ? error.message : String(error), error);
  }
}

function cannotConnect(why: string, cause?: unknown): SandboxError {
  return new SandboxError('connection-lost', `Cannot connect: ${why}`, { cause });
}
