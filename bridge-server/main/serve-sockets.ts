import { serveWire } from '../../protocol/wire/serve-wire.ts';
import { socketTransport } from '../../protocol/wire/socket-transport.ts';
import type { WireSessions } from '../../protocol/wire/wire-sessions.ts';
import type { BridgeOptions } from '../http/bridge-options.ts';
import { grantedBackend } from './granted-backend.ts';

/** Speaks the wire protocol on sockets, as far as the token of each allows. `sessions` stay their owner's. */
export function serveSockets(sessions: WireSessions): BridgeOptions['onSocket'] {
  return (socket, owner, { backend, onFailure, whileValid }) => {
    serveWire(socketTransport(socket), {
      backend: grantedBackend(backend, owner),
      onFailure,
      sessions,
      owner: owner.id,
      account: owner.account,
      // Once, however often its client comes back: the session outlives its sockets.
      onBegun: (session) => {
        const letGo = whileValid((why) => void session.close(why));
        void session.ended.then(letGo);
      },
    });
  };
}
