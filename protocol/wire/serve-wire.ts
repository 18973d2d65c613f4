import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { SandboxBackend } from '../sandbox.ts';
import { parseFrame } from './frame.ts';
import {
  agree,
  encodeBye,
  encodeGreeting,
  type ResumeRequest,
  readHello,
  type WireLimits,
  wireCapabilities,
} from './handshake.ts';
import { ServerSession } from './server-session.ts';
import type { Transport } from './transport.ts';
import { randomName, type WireSessions } from './wire-sessions.ts';

export interface ServeWireOptions {
  readonly backend: SandboxBackend;
  /** Where sessions wait for clients that lost their transport; without it, they end with it. */
  readonly sessions?: WireSessions;
  /** Who the client is: a session is resumed by the same only. */
  readonly owner?: string;
  /** Whom its sessions are counted to; several owners may share one. `owner` by default. */
  readonly account?: string;
  /** Told of a session that has begun; not of one that a client goes on with, which began before. */
  readonly onBegun?: (session: WireSession) => void;
  /** How long a session outlives its transport; `limits.wireGraceMs` by default. */
  readonly graceMs?: number;
  /** Bounds of the session, where they are tighter than those of `limits`. */
  readonly limits?: Partial<WireLimits>;
  /** Told of failures that no client waits for, such as a sandbox that does not close. */
  readonly onFailure?: (error: unknown) => void;
}

/** A client's session, which may go on over other transports than it began with. */
export interface WireSession {
  /** Resolves when it has let go of everything, with what ended it; nothing when the client said goodbye. */
  readonly ended: Promise<SandboxError | undefined>;
  /** Ends the session and lets go of everything; the client is told why. */
  close(why?: SandboxError): Promise<void>;
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
  const { sessions, owner = '', account = owner } = options;
  const capabilities = sessions ? wireCapabilities : [];
  const { versions, resume } = readHello(parseFrame(message), capabilities);
  const common = { version: agree(versions), capabilities, limits: { ...usualLimits, ...options.limits } };
  const graceMs = sessions ? (options.graceMs ?? limits.wireGraceMs) : 0;
  if (resume) {
    const session = findSession(resume, { sessions, owner });
    session.link.detach('the client has come back another way');
    const { id, secret } = resume;
    const { received } = session.link;
    void transport.send(encodeGreeting('welcome', { ...common, session: { id, secret, graceMs }, received }));
    session.resume(transport, resume.received);
    return session;
  }
  const { backend, onFailure = () => undefined, onBegun = () => undefined } = options;
  const session = new ServerSession({ backend, limits: common.limits, graceMs, onFailure });
  const name = sessions?.add(session, { owner, account }) ?? { id: randomName(), secret: randomName() };
  void transport.send(encodeGreeting('welcome', { ...common, session: { ...name, graceMs }, received: 0 }));
  session.resume(transport, 0);
  onBegun({
    ended: session.ended,
    close: (reason = closedHere()) => session.end(reason),
  });
  return session;
}

function closedHere(): SandboxError {
  return new SandboxError('connection-lost', 'The server has closed the session');
}

function findSession(
  resume: ResumeRequest,
  { sessions, owner }: { sessions: WireSessions | undefined; owner: string },
): ServerSession {
  if (sessions) return sessions.find(resume, owner);
  throw new SandboxError('unsupported', 'Cannot resume the session: this server keeps none', {
    details: { feature: 'resume' },
  });
}
