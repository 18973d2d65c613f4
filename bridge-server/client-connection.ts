import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import { HandleScope, scopeFacets } from '../protocol/sandbox/handle-scope.ts';
import type { Lease } from './open-sandboxes.ts';

/**
 * One client's use of a sandbox that others use too. `close` ends what this client has begun: its
 * processes are killed, its subscriptions and archives closed (H-8). The sandbox stays open.
 */
export function clientConnection(lease: Lease): SandboxConnection {
  const scope = new HandleScope();
  let closed: Promise<void> | undefined;
  return {
    ...scopeFacets(() => lease.connection, scope),
    close: () => {
      closed ??= scope.close(() => lease[Symbol.dispose]());
      return closed;
    },
  };
}
