import { listenAbort } from '../abort.ts';
import { SandboxError } from '../errors.ts';
import type { SandboxBackend } from '../sandbox.ts';
import { ClientSession } from './client-session.ts';
import { violation, wireVersions } from './frame.ts';
import { greetServer } from './greet-server.ts';
import type { Welcome, wireCapabilities } from './handshake.ts';
import { remoteBackend } from './remote-backend.ts';
import type { Transport } from './transport.ts';

export interface OpenWireOptions {
  /** What the server must be able to do, or the call rejects with `unsupported`. */
  readonly capabilities?: readonly (typeof wireCapabilities)[number][];
  /** Aborting gives up the connecting; once connected, it changes nothing. */
  readonly signal?: AbortSignal;
}

/** A backend at the other end of a transport. Closing it lets go of everything that was opened through it. */
export type WireBackend = SandboxBackend & { close(): Promise<void> };

type ConnectTransport = () => Promise<Transport>;

const firstRetryMs = 50;
const lastRetryMs = 2_000;

/**
 * Connects to a server. `connectTransport` opens a transport, which then is owned here; it is called
 * again when one is lost, as long as the server keeps the session: streams and calls go on where they
 * were. @throws version-mismatch, unsupported, timeout, aborted, connection-lost, protocol-violation
 */
export async function openWire(
  connectTransport: ConnectTransport,
  { capabilities = [], signal }: OpenWireOptions = {},
): Promise<WireBackend> {
  const opened = Promise.withResolvers<ClientSession>();
  const begin = (transport: Transport, welcome: Welcome): void => {
    if (welcome.received !== 0) throw violation('a WELCOME to another session');
    const session: ClientSession = new ClientSession(welcome, {
      onLost: (reason) => void resume(session, { welcome, connectTransport, reason }),
    });
    session.attach(transport, welcome);
    opened.resolve(session);
  };
  await greetServer(connectTransport, {
    hello: { versions: wireVersions, capabilities },
    signal,
    onWelcome: begin,
  });
  return remoteBackend(await opened.promise);
}

/** Tries for as long as the server keeps the session; then, or when it refuses, the session ends. */
async function resume(
  session: ClientSession,
  {
    welcome,
    connectTransport,
    reason,
  }: { welcome: Welcome; connectTransport: ConnectTransport; reason: string },
): Promise<void> {
  const { id, secret, graceMs } = welcome.session;
  const deadlineMs = performance.now() + graceMs;
  let why = reason;
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(2 * delayMs, lastRetryMs)) {
    if (performance.now() >= deadlineMs)
      return session.end(new SandboxError('connection-lost', `The connection is lost: ${why}`));
    try {
      const { received } = session.link;
      await greetServer(connectTransport, {
        hello: { versions: wireVersions, capabilities: ['resume'], resume: { id, secret, received } },
        signal: session.signal,
        onWelcome: (transport, again) => attachAgain(session, { transport, welcome: again }),
      });
      return;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (session.isOver) return;
      if (!error.retryable) return session.end(error);
      why = error.message;
    }
    await pause(delayMs * (0.5 + Math.random() / 2), session.signal);
  }
}

/** A server that lacks what this side does not keep any more never gets it: the session ends. */
function attachAgain(
  session: ClientSession,
  { transport, welcome }: { transport: Transport; welcome: Welcome },
): void {
  try {
    session.attach(transport, welcome);
  } catch (error) {
    session.end(SandboxError.from(error));
    throw error;
  }
}

/** Waits, or until `signal` aborts. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, delayMs);
  const unlisten = listenAbort(signal, over.resolve);
  await over.promise;
  clearTimeout(timer);
  unlisten();
}
