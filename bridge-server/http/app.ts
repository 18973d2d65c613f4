import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { errorTable, SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Admission } from './admission.ts';
import { errorBody } from './error-body.ts';
import { isAllowedOrigin } from './gate.ts';
import { loggedError } from './log.ts';
import { mountInto } from './mount.ts';
import { archiveRoutes } from './routes/archive.ts';
import { commandRoutes } from './routes/commands.ts';
import { eventRoutes } from './routes/events.ts';
import { fileRoutes } from './routes/files.ts';
import { sandboxRoutes } from './routes/sandboxes.ts';
import { serviceRoutes } from './routes/service.ts';
import { snapshotRoutes } from './routes/snapshots.ts';
import { socketRoutes } from './routes/sockets.ts';
import { tagRoutes } from './routes/tags.ts';
import type { BridgeApp, BridgeEnv, Service } from './service.ts';
import { assertSees } from './use-sandbox.ts';

type Middleware = MiddlewareHandler<BridgeEnv>;

/** The app: every request passes through these in this order, and then to its route. */
export function makeApp(
  service: Service,
  options: { admission: Admission; allowedOrigins: readonly string[] },
): BridgeApp {
  const app: BridgeApp = new OpenAPIHono<BridgeEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalid(result.target, result.error.issues);
    },
  });
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  app.onError((error, c) => answerError(error, c));
  app.notFound((c) => answerError(new SandboxError('not-found', 'There is nothing at this path'), c));

  const { admission, allowedOrigins } = options;
  app.use('*', observe(service), secureHeaders, shareWith(allowedOrigins), admitAddress(admission));
  for (const path of ['/v1/*', '/metrics']) app.use(path, admitToken(admission));
  for (const home of ['/v1/sandboxes', '/v1/jails']) {
    app.use(`${home}/:id/*`, async (c, next) => {
      const id = c.req.param('id');
      c.set('sandbox', id.slice(0, 128));
      assertSees(c.var.owner, id);
      await next();
    });
  }
  app.use('*', limitBody);

  const mount = mountInto(app);
  sandboxRoutes(mount, service);
  commandRoutes(mount, service);
  fileRoutes(mount, service);
  snapshotRoutes(mount, service);
  tagRoutes(mount, service);
  eventRoutes(mount, service);
  archiveRoutes(mount, service);
  socketRoutes(mount);
  serviceRoutes(app, { mount, service });
  return app;
}

/** Gives the request a name, and tells log and metrics how it ended, when its last byte has gone. */
function observe({ log, metrics }: Service): Middleware {
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

const secureHeaders: Middleware = async (c, next) => {
  await next();
  c.header('x-content-type-options', 'nosniff');
  c.header('cache-control', 'no-store');
  c.header('referrer-policy', 'no-referrer');
  if (!c.res.headers.has('content-security-policy')) {
    c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  }
};

/** Lets pages of the allowed origins read the answers; the gate has turned the others away. */
function shareWith(allowedOrigins: readonly string[]): Middleware {
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin !== undefined && isAllowedOrigin(origin, allowedOrigins)) {
      c.header('access-control-allow-origin', origin);
      c.header('access-control-expose-headers', 'x-request-id, retry-after, content-disposition');
      c.header('vary', 'origin');
      if (c.req.method === 'OPTIONS') {
        c.header('access-control-allow-methods', 'GET, POST, PUT, DELETE');
        c.header('access-control-allow-headers', 'authorization, content-type, last-event-id');
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

function admitAddress(admission: Admission): Middleware {
  return async (c, next) => {
    admission.countAddress(c.env.incoming);
    await next();
  };
}

function admitToken(admission: Admission): Middleware {
  return async (c, next) => {
    c.set('owner', admission.findOwner(c.env.incoming));
    await next();
  };
}

/**
 * A file is bytes of any type and counts its own. Every other body is JSON and says so, as no form can,
 * and says how long it is: Node holds the client to that.
 */
const limitBody: Middleware = async (c, next) => {
  if (c.req.method === 'PUT' && c.req.path.endsWith('/files')) return next();
  const { headers } = c.env.incoming;
  const length = Number(headers['content-length'] ?? 0);
  const refuse = (why: string) => new SandboxError('invalid-argument', `Cannot read the body: ${why}`);
  if (headers['transfer-encoding'] !== undefined) throw refuse('it does not say its length');
  if (length > limits.httpBodyBytes) {
    const message = `Cannot take the request: its body is larger than ${limits.httpBodyBytes} bytes`;
    throw new SandboxError('limit-exceeded', message, { details: { limitBytes: limits.httpBodyBytes } });
  }
  if (length > 0 && !/^application\/json(;|$)/i.test(headers['content-type'] ?? '')) {
    throw refuse('its Content-Type is not application/json');
  }
  return next();
};

function answerError(cause: Error, c: Context<BridgeEnv>): Response {
  const error = cause instanceof HTTPException ? fromHono(cause) : SandboxError.from(cause);
  const { status } = errorTable[error.code];
  if (status >= 500) c.var.log?.error(loggedError(cause), 'request failed');
  const { retryAfterSeconds } = error.details;
  if (typeof retryAfterSeconds === 'number') c.header('retry-after', String(retryAfterSeconds));
  if (error.code === 'unauthenticated') c.header('www-authenticate', 'Bearer');
  // 499 is known to servers and proxies, not to the type.
  return c.json(errorBody(error), status as ContentfulStatusCode);
}

/** What Hono itself refuses: JSON that is none. */
function fromHono(error: HTTPException): SandboxError {
  const code = error.status === 400 ? 'invalid-argument' : 'internal';
  return new SandboxError(code, error.message, { cause: error });
}

function invalid(target: string, issues: readonly { path: PropertyKey[]; message: string }[]): SandboxError {
  const found = issues.slice(0, 8).map(({ path, message }) => ({ at: path.map(String).join('.'), message }));
  const [first] = found;
  const message = `Cannot use the ${target}: ${first?.at || 'it'}: ${first?.message ?? 'it is not valid'}`;
  return new SandboxError('invalid-argument', message, { details: { issues: found } });
}
