import type { SandboxConnection } from '../../sandbox/connection.ts';
import type { WireRequest } from '../requests.ts';

/** What may be noted of a request. */
interface NotedRequest {
  readonly method: WireRequest['method'];
  /** The connection that it is about, or has made; `undefined` where there is none, or none yet, or no longer. */
  connection(): SandboxConnection | undefined;
}

/**
 * Does `work`, the whole of a request, and may note how long it takes and how it ends. It calls it at once, as
 * the order of requests counts, and passes on what it resolves to or rejects with.
 */
export type AroundRequest = <T>(request: NotedRequest, work: () => Promise<T>) => Promise<T>;
