import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { answerPolicy } from '../../protocol/content-security-policy.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { assertSees } from '../access/allow.ts';
import type { Admission, TokenReader } from './admission.ts';
import { answerError, invalidPart } from './answer-error.ts';
import { allowCors } from './cors.ts';
import { jailsRoute } from './jails-api.ts';
import { limitBody } from './limit-body.ts';
import { mountInto } from './mount.ts';
import { observe } from './observe.ts';
import { gitToken, presentedToken } from './presented-token.ts';
import { archiveRoutes } from './routes/archive.ts';
import { commandRoutes } from './routes/commands.ts';
import { diffRoutes } from './routes/diffs.ts';
import { eventRoutes } from './routes/events.ts';
import { fileRoutes } from './routes/files.ts';
import { gitRoutes } from './routes/git.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { mergeRoutes } from './routes/merge.ts';
import { networkRoutes } from './routes/network.ts';
import { processRoutes } from './routes/processes.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { reportRoutes } from './routes/report.ts';
import { repositoryRoutes } from './routes/repositories.ts';
import { repositoryExchangeRoutes } from './routes/repository-exchanges.ts';
import { retentionRoutes } from './routes/retention.ts';
import { sandboxRoutes } from './routes/sandboxes.ts';
import { serviceRoutes } from './routes/service.ts';
import { shellRoutes } from './routes/shells.ts';
import { snapshotRoutes } from './routes/snapshots.ts';
import { socketRoutes } from './routes/sockets.ts';
import { tagRoutes } from './routes/tags.ts';
import { tokenRoutes } from './routes/tokens.ts';
import type { BridgeApp, BridgeEnv, Service } from './service.ts';

type Middleware = MiddlewareHandler<BridgeEnv>;

/** The app: every request passes through these in this order, and then to its route. */
export function makeApp(
  service: Service,
  options: { admission: Admission; allowedOrigins: readonly string[] },
): BridgeApp {
  const app: BridgeApp = new OpenAPIHono<BridgeEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidPart(result.target, result.error.issues);
    },
  });
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  app.onError((error, c) => answerError(error, c));
  app.notFound((c) => answerError(new SandboxError('not-found', 'There is nothing at this path'), c));

  const { admission, allowedOrigins } = options;
  app.use('*', observe(service), secureHeaders, allowCors(allowedOrigins), admitAddress(admission));
  for (const path of ['/v1/*', '/metrics', '/mcp']) app.use(path, admitToken(admission));
  app.use('/git/*', admitToken(admission, gitToken), endWithToken(service));
  for (const home of ['/v1/sandboxes', '/v1/jails']) {
    app.use(`${home}/*`, endWithToken(service));
    app.use(`${home}/:id/*`, async (c, next) => {
      const id = c.req.param('id');
      c.set('sandbox', id.slice(0, 128));
      assertSees(c.var.owner, id);
      await next();
    });
  }
  for (const path of ['/v1/snapshots/*', '/mcp']) app.use(path, endWithToken(service));
  app.use('*', limitBody);

  const mount = mountInto(app, { aliasOf: jailsRoute });
  sandboxRoutes(mount, service);
  commandRoutes(mount, service);
  shellRoutes(mount, service);
  processRoutes(mount, service);
  networkRoutes(mount, service);
  repositoryRoutes(mount, service);
  repositoryExchangeRoutes(mount, service);
  reportRoutes(mount, service);
  fileRoutes(mount, service);
  snapshotRoutes(mount, service);
  mergeRoutes(mount, service);
  retentionRoutes(mount, service);
  diffRoutes(mount, service);
  tagRoutes(mount, service);
  eventRoutes(mount, service);
  archiveRoutes(mount, service);
  recordingRoutes(mount, service);
  socketRoutes(mount);
  tokenRoutes(mount, service);
  gitRoutes(app, service);
  mcpRoutes(app, service);
  serviceRoutes(app, { mount, service });
  return app;
}

const secureHeaders: Middleware = async (c, next) => {
  await next();
  c.header('x-content-type-options', 'nosniff');
  c.header('cache-control', 'no-store');
  c.header('referrer-policy', 'no-referrer');
  if (!c.res.headers.has('content-security-policy')) {
    c.header('content-security-policy', answerPolicy);
  }
};

function admitAddress(admission: Admission): Middleware {
  return async (c, next) => {
    admission.countAddress(c.env.incoming);
    await next();
  };
}

function admitToken(admission: Admission, tokenIn: TokenReader = presentedToken): Middleware {
  return async (c, next) => {
    c.set('owner', admission.findOwner(c.env.incoming, tokenIn));
    await next();
  };
}

/** A command, a stream or a download breaks off when its token is no longer valid. */
function endWithToken({ liveTokens }: Service): Middleware {
  return async (c, next) => {
    const { outgoing } = c.env;
    const letGo = liveTokens.hold(c.var.owner, () => outgoing.destroy());
    outgoing.once('close', letGo);
    await next();
  };
}
