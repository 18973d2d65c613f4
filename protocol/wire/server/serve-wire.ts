import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { SandboxBackend } from '../../sandbox/backend.ts';
import { parseFrame } from '../frames/frame.ts';
import {
  agree,
  encodeBye,
  encodeGreeting,
  type ResumeRequest,
  readHello,
  type WireAccess,
  type WireLimits,
  wireCapabilities,
} from '../handshake.ts';
import { describeMethods } from '../requests.ts';
import type { Transport } from '../transports/transport.ts';
import type { AroundRequest } from './around-request.ts';
import { ServerSession } from './server-session.ts';
import type { WireSession } from './wire-session.ts';
import { randomName, type WireSessions } from './wire-sessions.ts';

export interface ServeWireOptions {
  readonly backend: SandboxBackend;
  /** Where sessions wait for clients that lost their transport; without it, they end with it. */
  readonly sessions?: WireSessions;
  /** Who the client is: a session is resumed by the same only, unless `onResume` decides. */
  readonly owner?: string;
  /** Whom its sessions are counted to; several owners may share one. `owner` by default. */
  readonly account?: string;
  /** Told of a session that has begun; not of one that a client goes on with, which began before. */
  readonly onBegun?: (session: WireSession) => void;
  /**
   * Told of a session, of whichever owner, that the client is about to go on with, and whose secret it knows. What it
   * throws is what the client is refused with; the session goes on waiting for another then.
   */
  readonly onResume?: ((session: WireSession) => void) | undefined;
  /** How long the client is let in, where that has an end. */
  readonly access?: WireAccess | undefined;
  /** Prolongs that on the client's request. @throws forbidden */
  readonly onRenew?: (session: WireSession) => WireAccess;
  /** How long a session outlives its transport; `limits.wireGraceMs` by default. */
  readonly graceMs?: number;
  /** Bounds of the session, where they are tighter than those of `limits`. */
  readonly limits?: Partial<WireLimits>;
  /** Told of failures that no client waits for, such as a sandbox that does not close. */
  readonly onFailure?: (error: unknown) => void;
  /** Notes how requests go. */
  readonly aroundRequest?: AroundRequest | undefined;
}

const usualLimits: WireLimits = {
  messageBytes: limits.wireMessageBytes,
  requests: limits.wireRequests,
  streams: limits.wireHandles,
  windowBytes: limits.wireWindowBytes,
};

/** Serves `backend` to the client at the other end of `transport`, which the session owns from now on. */
export function serveWire(transport: Transport, options: ServeWireOptions): WireSession {
  const opened = Promise.withResolvers<ServerSession>();
  let session: ServerSession | undefined;
  const refuse = (error: SandboxError): void => {
    clearTimeout(timer);
    void transport.send(encodeBye(error));
    transport.abort(error.message);
    opened.reject(error);
  };
  const timer = setTimeout(
    () => refuse(new SandboxError('timeout', 'The client did not say HELLO in time')),
    limits.wireHandshakeTimeoutMs,
  );
  transport.closed = (reason) => {
    clearTimeout(timer);
    opened.reject(new SandboxError('connection-lost', `The client left before its HELLO: ${reason}`));
  };
  transport.receive = (message) => {
    clearTimeout(timer);
    try {
      session = welcome(transport, message, options);
      opened.resolve(session);
    } catch (error) {
      refuse(SandboxError.from(error));
    }
  };
  // A server need not ask how it went.
  opened.promise.catch(() => undefined);
  return {
    // Made when it is asked for: each waits as long as the session, which may be resumed any number of times.
    get ended() {
      return opened.promise.then((each) => each.ended, SandboxError.from);
    },
    close: async (reason = closedHere()) => {
      if (session) await session.end(reason);
      else refuse(reason);
    },
    suspend: async (why) => {
      if (session) await session.suspend(why);
      else refuse(why);
    },
  };
}

/** Tells the client at the other end of `transport` why it is not served, once it has said HELLO, and ends it. */
export function refuseWire(transport: Transport, error: SandboxError): void {
  const end = (): void => {
    clearTimeout(timer);
    transport.abort(error.message);
  };
  const timer = setTimeout(end, limits.wireHandshakeTimeoutMs);
  transport.closed = () => clearTimeout(timer);
  transport.receive = () => {
    void transport.send(encodeBye(error));
    end();
  };
}

/** Answers a HELLO and begins, or goes on with, a session. @throws what the client is refused with */
function welcome(transport: Transport, message: Uint8Array, options: ServeWireOptions): ServerSession {
  const { sessions, owner = '', account = owner, access } = options;
  const capabilities = sessions ? wireCapabilities : [];
  const { versions, resume, renews = false } = readHello(parseFrame(message), capabilities);
  const bounds = { ...usualLimits, ...options.limits };
  const common = {
    version: agree(versions),
    capabilities,
    limits: bounds,
    methods: describeMethods(),
    ...(access ? { access } : {}),
  };
  const graceMs = sessions ? (options.graceMs ?? limits.wireGraceMs) : 0;
  if (resume) {
    const session = findSession(resume, { sessions, owner, onResume: options.onResume });
    session.link.detach('the client has come back another way');
    const { id, secret } = resume;
    const { received } = session.link;
    void transport.send(encodeGreeting('welcome', { ...common, session: { id, secret, graceMs }, received }));
    session.resume(transport, { received: resume.received, renews });
    return session;
  }
  const {
    backend,
    onFailure = () => undefined,
    onBegun = () => undefined,
    onRenew = refuseToRenew,
    aroundRequest,
  } = options;
  const renewAccess = async (): Promise<WireAccess> => onRenew(served);
  const session = new ServerSession({
    backend,
    limits: bounds,
    graceMs,
    renewAccess,
    onFailure,
    aroundRequest,
  });
  const served: WireSession = {
    ended: session.ended,
    close: (reason = closedHere()) => session.end(reason),
    suspend: (why) => session.suspend(why),
  };
  const name = sessions?.add(session, { owner, account, served }) ?? {
    id: randomName(),
    secret: randomName(),
  };
  void transport.send(encodeGreeting('welcome', { ...common, session: { ...name, graceMs }, received: 0 }));
  session.resume(transport, { received: 0, renews });
  onBegun(served);
  return session;
}

function refuseToRenew(): never {
  throw new SandboxError('unsupported', 'Cannot prolong the access: this server does not', {
    details: { feature: 'renew' },
  });
}

function closedHere(): SandboxError {
  return new SandboxError('connection-lost', 'The server has closed the session');
}

function findSession(
  resume: ResumeRequest,
  {
    sessions,
    ...who
  }: Pick<ServeWireOptions, 'onResume'> & { sessions: WireSessions | undefined; owner: string },
): ServerSession {
  if (sessions) return sessions.find(resume, who);
  throw new SandboxError('unsupported', 'Cannot resume the session: this server keeps none', {
    details: { feature: 'resume' },
  });
}
