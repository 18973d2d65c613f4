import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { BridgeEnv, Service } from './service.ts';

/** Gives the request a name, and tells log and metrics how it ended, when its last byte has gone. */
export function observe({ log, metrics }: Pick<Service, 'log' | 'metrics'>): MiddlewareHandler<BridgeEnv> {
  return async (c, next) => {
    const startedMs = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    c.set('log', log.child({ requestId }));
    c.header('x-request-id', requestId);
    const { incoming, outgoing } = c.env;
    outgoing.once('close', () => {
      const durationMs = Math.round((performance.now() - startedMs) * 1000) / 1000;
      const method = incoming.method ?? '';
      const status = outgoing.statusCode;
      const matched = routePath(c, -1);
      const route = matched.endsWith('*') ? 'unmatched' : matched;
      metrics.answered({ method, route, status, durationMs });
      const wasCut = !outgoing.writableFinished;
      c.var.log.info(
        {
          method,
          path: c.req.path.slice(0, 512),
          sandbox: c.var.sandbox,
          owner: c.var.owner?.name,
          status,
          durationMs,
          wasCut,
        },
        'request',
      );
    });
    await next();
    // A stream that nobody will read would keep what it holds.
    if (incoming.method === 'HEAD') await c.res.body?.cancel();
  };
}
