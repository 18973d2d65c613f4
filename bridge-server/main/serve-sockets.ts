import { SandboxError } from '../../protocol/errors.ts';
import type { WireAccess } from '../../protocol/wire/handshake.ts';
import { serveWire } from '../../protocol/wire/server/serve-wire.ts';
import type { WireSession } from '../../protocol/wire/server/wire-session.ts';
import type { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { socketTransport } from '../../protocol/wire/transports/socket-transport.ts';
import { restrictBackend } from '../access/restrict-backend.ts';
import type { BridgeOptions } from '../http/bridge-options.ts';
import { noTracer } from '../observe/no-tracer.ts';
import { traceRequests } from '../observe/trace-requests.ts';
import type { TokenOwner } from '../token-contract.ts';
import type { Tracer } from '../trace-contract.ts';
import { SessionToken } from './session-token.ts';

/** Speaks the wire protocol on sockets, as far as the token of each allows. `sessions` stay their owner's. */
export function serveSockets(
  sessions: WireSessions,
  { tracer = noTracer }: { readonly tracer?: Tracer } = {},
): BridgeOptions['onSocket'] {
  const aroundRequest = traceRequests(tracer);
  // Once for a session, however often its client comes back: it outlives its sockets.
  const tokens = new WeakMap<WireSession, SessionToken>();
  const tokenOf = (session: WireSession): SessionToken => {
    const token = tokens.get(session);
    if (token) return token;
    throw new SandboxError('not-found', 'Cannot go on with the session: it has ended');
  };
  return (socket, owner, { backend, onFailure, whileValid, renewToken }) => {
    const holder = { owner, whileValid, renewToken };
    serveWire(socketTransport(socket), {
      backend: restrictBackend(backend, owner),
      onFailure,
      aroundRequest,
      sessions,
      owner: owner.id,
      account: owner.account,
      access: accessOf(owner),
      onBegun: (session) => tokens.set(session, new SessionToken(session, holder)),
      onRenew: (session) => tokenOf(session).renew(),
      onResume: (session) => tokenOf(session).takeOver(holder),
    });
  };
}

/** What a client can know of its token's time without a clock like ours. */
function accessOf({ expiresAtMs, renewableUntilMs }: TokenOwner): WireAccess | undefined {
  if (expiresAtMs === undefined) return undefined;
  const isRenewable = renewableUntilMs !== undefined && renewableUntilMs > expiresAtMs;
  return { endsInMs: Math.max(0, expiresAtMs - Date.now()), isRenewable };
}
