import { WireSessions } from '../../protocol/wire/wire-sessions.ts';
import { type Bridge, startBridge } from '../http/bridge.ts';
import type { BridgeOptions } from '../http/bridge-options.ts';
import { type Host, type HostOptions, openHost } from './open-host.ts';
import { serveSockets } from './serve-sockets.ts';

export type RunOptions = HostOptions &
  Pick<BridgeOptions, 'host' | 'port' | 'allowedOrigins' | 'allowedHosts' | 'tls' | 'log' | 'doctor' | 'git'>;

/** A bridge with the sandboxes of its host. Disposing of it ends the server first, then what it served. */
export interface RunningBridge extends Bridge {
  readonly host: Host;
  /** Disposes of it as well, and leaves to the next bridge on the same folder what runs in sandboxes. */
  handOver(): Promise<void>;
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
    running: host.running,
    onSocket: serveSockets(sessions),
  });
  stack.use(bridge);
  const owned = stack.move();
  return {
    url: bridge.url,
    renewTls: (identity) => bridge.renewTls(identity),
    host,
    handOver: () => {
      host.handOver();
      return owned.disposeAsync();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
