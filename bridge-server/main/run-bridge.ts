import { serveWire } from '../../protocol/wire/serve-wire.ts';
import { socketTransport } from '../../protocol/wire/socket-transport.ts';
import { WireSessions } from '../../protocol/wire/wire-sessions.ts';
import { type Bridge, startBridge } from '../http/bridge.ts';
import type { BridgeOptions } from '../http/bridge-options.ts';
import { type Host, type HostOptions, openHost } from './open-host.ts';
import { scopedBackend } from './scoped-backend.ts';

export type RunOptions = HostOptions &
  Pick<BridgeOptions, 'host' | 'port' | 'allowedOrigins' | 'allowedHosts' | 'tls' | 'log' | 'doctor'>;

/** A bridge with the sandboxes of its host. Disposing of it ends the server first, then what it served. */
export interface RunningBridge extends Bridge {
  readonly host: Host;
}

/** Opens this host's sandboxes and serves them. @throws what `openHost` and `startBridge` throw */
export async function runBridge(options: RunOptions): Promise<RunningBridge> {
  await using stack = new AsyncDisposableStack();
  const host = stack.use(await openHost(options));
  const sessions = stack.use(new WireSessions());
  const bridge = await startBridge({
    ...options,
    backend: host.backend,
    tokens: host.tokens,
    onSocket: (socket, { scope }, served) => {
      const backend = scope === 'all' ? served.backend : scopedBackend(served.backend, scope.sandbox);
      const owner = scope === 'all' ? '' : scope.sandbox;
      serveWire(socketTransport(socket), { ...served, backend, sessions, owner });
    },
  });
  stack.use(bridge);
  const owned = stack.move();
  return { url: bridge.url, host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
