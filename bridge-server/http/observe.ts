import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { BridgeEnv, Service } from './service.ts';

/** Gives the request a name, and tells log, metrics and traces how it ended, when its last byte has gone. */
export function observe({
  log,
  metrics,
  tracer,
  sandboxes,
}: Pick<Service, 'log' | 'metrics' | 'tracer' | 'sandboxes'>): MiddlewareHandler<BridgeEnv> {
  return async (c, next) => {
    const startedMs = performance.now();
    const requestId = randomUUID();
    const span = tracer.receive('request', c.req.header('traceparent'));
    const { traceId } = span;
    c.set('requestId', requestId);
    c.set('span', span);
    c.set('log', log.child(traceId === undefined ? { requestId } : { requestId, traceId }));
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
      const name = route === 'unmatched' ? method : `${method} ${route}`;
      // What names no sandbox may be anything.
      const { sandbox: named } = c.var;
      const isSandbox = named !== undefined && (status < 400 || sandboxes.has(named));
      span.end({ name, method, route, status, requestId, ...(isSandbox ? { sandbox: named } : {}) });
    });
    await span.run(next);
    // A stream that nobody will read would keep what it holds.
    if (incoming.method === 'HEAD') await c.res.body?.cancel();
  };
}
