import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { assertWrites } from '../../access/allow.ts';
import { type GitTarget, parseGitTarget } from '../git/git-target.ts';
import { loggedError } from '../log.ts';
import { clientErrors } from '../mount.ts';
import { readBody } from '../read-body.ts';
import { failed } from '../schemas.ts';
import type { BridgeApp, BridgeEnv, Service } from '../service.ts';
import { type ByteSource, streamBody } from '../stream-body.ts';

const tags = ['git'];
const bytes = z.string().openapi({ format: 'binary' });
const path = z.string().openapi({ description: 'Of the repository; it may have slashes.' });
const params = z.object({ host: z.string().openapi({ description: 'On the list of the bridge.' }), path });
const answers = {
  200: {
    description: 'What the server of git answers.',
    content: { 'application/octet-stream': { schema: bytes } },
  },
  ...failed,
};

/** The document's part of each route; a path in a path is more than its own router can say. */
const routes = [
  {
    method: 'get',
    action: 'info/refs',
    operationId: 'gitRefs',
    summary: 'The references of a repository on a listed server, for a fetch or a push.',
    request: { params, query: z.object({ service: z.enum(['git-upload-pack', 'git-receive-pack']) }) },
  },
  {
    method: 'post',
    action: 'git-upload-pack',
    operationId: 'gitFetch',
    summary: 'Fetches from a repository on a listed server.',
    request: { params },
  },
  {
    method: 'post',
    action: 'git-receive-pack',
    operationId: 'gitPush',
    summary: 'Pushes to a repository on a listed server.',
    request: { params },
  },
] as const;

/** Requests of git that pages cannot make themselves. */
export function gitRoutes(app: BridgeApp, service: Service): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'gitToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Coppice-Token',
  });
  for (const { method, action, ...about } of routes) {
    const security = [{ gitToken: [] }];
    const path = `/git/{host}/{path}/${action}`;
    const responses = { ...clientErrors({ method, path, security, ...about }), ...answers };
    const documented = { path, tags, security, responses };
    app.openAPIRegistry.registerPath({ method, ...documented, ...about });
    app.on(method.toUpperCase(), `/git/:host/:path{.+}/${action}`, (c) => passOn(c, service));
  }
}

async function passOn(c: Context<BridgeEnv>, service: Service): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const { owner, log } = c.var;
  const target = parseGitTarget({ method: incoming.method ?? '', url: incoming.url ?? '' });
  if (target.service === 'git-receive-pack') assertWrites(owner);
  service.git.assertAllowed(target);
  assertType(target, incoming.headers['content-type']);
  const leave = service.git.enter(owner.account);
  try {
    using reservation = service.uploads.reserve(owner.account);
    const mostBytes = limits.gitRequestBytes[target.service === 'git-receive-pack' ? 'push' : 'fetch'];
    const body = target.method === 'POST' ? await readBody(incoming, { reservation, mostBytes }) : undefined;
    const late = AbortSignal.timeout(limits.gitTimeoutMs);
    const signal = AbortSignal.any([c.req.raw.signal, service.stopping, late]);
    const answer = await service.git.ask({ target, headers: incoming.headers, body, signal });
    const onError = (error: unknown) => log.warn(loggedError(error), 'an answer of git broke off');
    const source = countedOut(answer.body, { leave, metrics: service.metrics });
    const status = answer.status as ContentfulStatusCode;
    return c.body(streamBody(source, { outgoing, onError }), status, { ...answer.headers });
  } catch (error) {
    leave();
    throw error;
  }
}

/** The same bytes; the request is over when they are closed. */
function countedOut(
  body: ByteSource,
  { leave, metrics }: { leave: () => void; metrics: Service['metrics'] },
): ByteSource {
  return {
    pull: async () => {
      const piece = await body.pull();
      metrics.moved('out', { type: 'git', bytes: piece?.length ?? 0 });
      return piece;
    },
    close: () => {
      leave();
      return body.close();
    },
  };
}

/** What a form or a script of another kind sends is none of git's. @throws invalid-argument */
function assertType({ method, service }: GitTarget, type: string | undefined): void {
  if (method === 'GET' || type === `application/x-${service}-request`) return;
  throw new SandboxError(
    'invalid-argument',
    `Cannot read the body: its Content-Type is not that of ${service}`,
  );
}
