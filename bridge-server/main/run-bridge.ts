import { SandboxError } from '../../protocol/errors.ts';
import { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { type Bridge, startBridge } from '../http/bridge.ts';
import type { BridgeOptions } from '../http/bridge-options.ts';
import { loggedError, makeLog } from '../http/log.ts';
import { openTracer } from '../observe/open-tracer.ts';
import type { Host, HostOptions } from './open-host.ts';
import { serveSockets } from './serve-sockets.ts';

export interface RunOptions<Opened extends Host>
  extends Pick<
    BridgeOptions,
    | 'host'
    | 'port'
    | 'allowedOrigins'
    | 'allowedHosts'
    | 'connectionsOfAddress'
    | 'tls'
    | 'log'
    | 'doctor'
    | 'ready'
    | 'git'
    | 'mcp'
  > {
  /** Opens what is served, which the bridge disposes of (`openLocalHost`, `openHost`), with what the bridge hears of it. */
  readonly openHost: (observed: Pick<HostOptions, 'tracer' | 'onUnsaved'>) => Promise<Opened>;
}

/** A bridge with the sandboxes of its host. Disposing of it ends the server first, then what it served. */
export interface RunningBridge<Opened extends Host = Host> extends Bridge {
  readonly host: Opened;
  /** Where traces go (`Tracer.target`). */
  readonly traces: string | undefined;
  /** Disposes of it as well, and leaves to the next bridge on the same folder what runs in sandboxes. */
  handOver(): Promise<void>;
}

/** Opens this host's sandboxes and serves them. @throws what `openTracer`, `openHost` and `startBridge` throw */
export async function runBridge<Opened extends Host>(
  options: RunOptions<Opened>,
): Promise<RunningBridge<Opened>> {
  await using stack = new AsyncDisposableStack();
  const log = makeLog(options.log);
  const tracer = stack.use(
    await openTracer({ onTrouble: (why) => log.warn(loggedError(cannotSend(why)), 'traces are not sent') }),
  );
  const onUnsaved: HostOptions['onUnsaved'] = (sandbox, why) => {
    log.warn({ sandbox, ...loggedError(why) }, 'files of a sandbox are not saved');
  };
  const host = stack.use(await options.openHost({ onUnsaved, tracer }));
  const sessions = stack.use(new WireSessions());
  const bridge = await startBridge({
    ...options,
    backend: host.backend,
    tokens: host.tokens,
    running: host.running,
    onSocket: serveSockets(sessions, { tracer }),
    tracer,
  });
  stack.use(bridge);
  host.listensAt(bridge.url);
  const owned = stack.move();
  return {
    url: bridge.url,
    renewTls: (identity) => bridge.renewTls(identity),
    host,
    traces: tracer.target,
    handOver: () => {
      host.handOver();
      return owned.disposeAsync();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function cannotSend(why: string): SandboxError {
  return new SandboxError('connection-lost', `Cannot send traces to the collector: ${why}`);
}
