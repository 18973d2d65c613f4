import type { SandboxError } from '../../errors.ts';
import type { SandboxBackend } from '../../sandbox/backend.ts';
import { violation, wireVersions } from '../frames/frame.ts';
import { accessSchema, type Welcome, type wireCapabilities } from '../handshake.ts';
import type { Transport } from '../transports/transport.ts';
import { AccessKeeper, type AccessSource } from './access-keeper.ts';
import { ClientSession } from './client-session.ts';
import { greetServer } from './greet-server.ts';
import { remoteBackend } from './remote-backend.ts';
import { resumeSession } from './resume-session.ts';

export interface OpenWireOptions {
  /** What the server must be able to do, or the call rejects with `unsupported`. */
  readonly capabilities?: readonly (typeof wireCapabilities)[number][];
  /** How the client gets on being let in, where that has an end and the server does not prolong it. */
  readonly access?: AccessSource | undefined;
  /** Aborting gives up the connecting; once connected, it changes nothing. */
  readonly signal?: AbortSignal;
}

/** A backend at the other end of a transport. Closing it lets go of everything that was opened through it. */
export type WireBackend = SandboxBackend & { close(): Promise<void> };

/**
 * Connects to a server. `connectTransport` opens a transport, which then is owned here; it is called
 * again when one is lost, as long as the server keeps the session: streams and calls go on where they
 * were. @throws version-mismatch, unsupported, timeout, aborted, connection-lost, protocol-violation
 */
export async function openWire(
  connectTransport: () => Promise<Transport>,
  { capabilities = [], access, signal }: OpenWireOptions = {},
): Promise<WireBackend> {
  const opened = Promise.withResolvers<ClientSession>();
  const renews = access !== undefined;
  const begin = (transport: Transport, welcome: Welcome): void => {
    if (welcome.received !== 0) throw violation('a WELCOME to another session');
    const keeper = new AccessKeeper({
      source: access,
      prolong: () => session.ask({ method: 'session.renew' }, accessSchema),
      onOther: () => {
        // One that was lost comes back with it anyway.
        if (!session.link.isAttached) return;
        session.link.detach('the client comes back with another right');
        resume('the client has another right');
      },
    });
    const resume = (reason: string, refused?: SandboxError): void =>
      void resumeSession(session, { welcome, connectTransport, keeper, renews, reason, refused });
    const session: ClientSession = new ClientSession(welcome, {
      onLost: resume,
      onRefused: renews ? (why) => resume(why.message, why) : undefined,
    });
    void session.ended.then(() => keeper.close());
    session.attach(transport, welcome);
    keeper.note(welcome.access);
    opened.resolve(session);
  };
  await greetServer(connectTransport, {
    hello: { versions: wireVersions, capabilities, ...(renews ? { renews } : {}) },
    signal,
    onWelcome: begin,
  });
  return remoteBackend(await opened.promise);
}
