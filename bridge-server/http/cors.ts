import type { MiddlewareHandler } from 'hono';
import { isAllowedOrigin } from './origin-guard.ts';
import type { BridgeEnv } from './service.ts';

/** What a page may send: the second line is for the git proxy, the third for MCP. */
const allowedHeaders = [
  'authorization, content-type, last-event-id',
  'git-protocol, x-coppice-token',
  'mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
].join(', ');

/** What a page may read; the last two are for the git proxy and MCP. */
const exposedHeaders = 'x-request-id, retry-after, content-disposition, www-authenticate, mcp-session-id';

/** Lets pages of the allowed origins read the answers; `refuseOrigin` has turned the others away. */
export function allowCors(allowedOrigins: readonly string[]): MiddlewareHandler<BridgeEnv> {
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin !== undefined && isAllowedOrigin(origin, allowedOrigins)) {
      c.header('access-control-allow-origin', origin);
      c.header('access-control-expose-headers', exposedHeaders);
      c.header('vary', 'origin');
      if (c.req.method === 'OPTIONS') {
        c.header('access-control-allow-methods', 'GET, POST, PUT, DELETE');
        c.header('access-control-allow-headers', allowedHeaders);
        c.header('access-control-max-age', '600');
        if (c.req.header('access-control-request-private-network') !== undefined) {
          c.header('access-control-allow-private-network', 'true');
        }
        return c.body(null, 204);
      }
    }
    await next();
    return undefined;
  };
}
