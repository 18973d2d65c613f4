import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SandboxError } from '../../../protocol/errors.ts';
import type { GitFacet } from '../../../protocol/sandbox/git.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import { errorBody } from '../error-body.ts';
import { exactObject } from '../exact-object.ts';
import {
  gitAuthorSchema,
  gitCredentialsSchema,
  gitDirectorySchema,
  gitHead,
  gitMerged,
  gitRefSchema,
  gitUrlSchema,
  submodulesSchema,
} from '../git-schemas.ts';
import { type Given, given } from '../given.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { BridgeEnv, Service } from '../service.ts';
import { SseStream } from '../sse-stream.ts';
import { streamBody } from '../stream-body.ts';
import { useSandbox } from '../use-sandbox.ts';

const tags = ['repositories'];
const params = z.object({ id: idSchema });
const directory = '/home/user/project';
const optionalRef = (description: string) => gitRefSchema.optional().openapi({ description });

/** Of every exchange with a server. */
const common = {
  directory: gitDirectorySchema,
  credentials: gitCredentialsSchema.optional(),
  stream: z
    .boolean()
    .default(false)
    .openapi({ description: 'Server-sent events instead: progress, then result or error.' }),
};
const remote = optionalRef('`origin` by default.');
const asks = {
  clone: exactObject({
    ...common,
    url: gitUrlSchema.openapi({
      description:
        'A URL of `https`, `http` or `ssh`, which need a network, or `file:///` inside. No password.',
    }),
    ref: optionalRef('A branch or a tag.'),
    commit: optionalRef('The full id of a commit, instead of `ref`.'),
    submodules: submodulesSchema,
    depth: z
      .number()
      .int()
      .min(1)
      .max(0x7fff_ffff)
      .optional()
      .openapi({ description: 'How many commits of the history come; all by default.' }),
  }),
  fetch: exactObject({ ...common, remote }),
  pull: exactObject({
    ...common,
    remote: optionalRef('What the current branch follows by default, or `origin`.'),
    branch: optionalRef('Of the remote: what the current branch follows by default, or that of its name.'),
    author: gitAuthorSchema.optional(),
  }),
  push: exactObject({
    ...common,
    remote,
    branch: optionalRef('The current one by default.'),
    force: z.boolean().optional().openapi({ description: 'Even where the remote loses commits.' }),
  }),
} as const;

function streamed<Schema extends z.ZodType>(schema: Schema, description: string) {
  const content = { 'application/json': { schema }, 'text/event-stream': { schema: z.string() } };
  return { 200: { description, content }, ...failed };
}

function body<Schema extends z.ZodType>(schema: Schema, example: object) {
  return { params, body: { required: true, content: { 'application/json': { schema, example } } } };
}

/** Exchanges of repositories in a sandbox with servers of git. One whose client goes away ends. */
export function repositoryExchangeRoutes(mount: Mount, service: Service): void {
  const route = { method: 'post', tags } as const;
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/clone',
      operationId: 'cloneRepository',
      needs: 'git.clone',
      summary:
        'Clones a repository into a directory, all of it or nothing; streams progress where it is asked to.',
      request: body(asks.clone, { directory, url: 'file:///srv/project.git', depth: 1 }),
      responses: streamed(gitHead, 'Where HEAD is.'),
    },
    (c) => answer(c, { service, ask: c.req.valid('json'), work: (git, ...ask) => git.clone(...ask) }),
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/fetch',
      operationId: 'fetchIntoRepository',
      needs: 'git.fetch',
      summary: "Gets a remote's branches and tags; streams progress where it is asked to.",
      request: body(asks.fetch, { directory }),
      responses: streamed(z.object({}), 'Done.'),
    },
    (c) =>
      answer(c, {
        service,
        ask: c.req.valid('json'),
        work: async (git, ...ask) => {
          await git.fetch(...ask);
          return {};
        },
      }),
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/pull',
      operationId: 'pullIntoRepository',
      needs: 'git.pull',
      summary: 'Fetches a remote branch and merges it into the current one; all or nothing.',
      request: body(asks.pull, { directory }),
      responses: streamed(gitMerged, 'Where HEAD is.'),
    },
    (c) => answer(c, { service, ask: c.req.valid('json'), work: (git, ...ask) => git.pull(...ask) }),
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/push',
      operationId: 'pushFromRepository',
      needs: 'git.push',
      summary: 'Sends a branch to a remote; streams progress where it is asked to.',
      request: body(asks.push, { directory, branch: 'main' }),
      responses: streamed(gitHead, 'What was sent.'),
    },
    (c) => answer(c, { service, ask: c.req.valid('json'), work: (git, ...ask) => git.push(...ask) }),
  );
}

type Exchange<T> = (git: GitFacet, signal: AbortSignal, onProgress: ProgressListener) => Promise<T>;

/** As JSON, or as events where the request asks for a stream. */
async function answer<Ask extends { readonly stream?: boolean | undefined }, T extends object>(
  c: Context<BridgeEnv>,
  { service, ask, work }: ExchangeCall<Ask, T>,
) {
  const { stream, ...asked } = ask;
  const rest = given(asked);
  const exchangeWith: Exchange<T> = (git, signal, onProgress) => work(git, { ...rest, signal }, onProgress);
  if (stream) return followExchange(c, service, exchangeWith);
  return c.json(await exchange(c, service, exchangeWith), 200);
}

interface ExchangeCall<Ask, T> {
  readonly service: Service;
  readonly ask: Ask;
  readonly work: (
    git: GitFacet,
    ask: Given<Omit<Ask, 'stream'>> & { readonly signal: AbortSignal },
    onProgress: ProgressListener,
  ) => Promise<T>;
}

/** Without progress. */
function exchange<T>(c: Context<BridgeEnv>, service: Service, work: Exchange<T>): Promise<T> {
  const { signal } = c.req.raw;
  const target = { id: c.req.param('id') ?? '', signal };
  return useSandbox(service, target, ({ git }) => work(git, signal, () => {}));
}

/** As events: `progress`, then `result` or `error`. Resolves once the sandbox is there, so that its absence has a status of its own. */
async function followExchange<T>(c: Context<BridgeEnv>, service: Service, work: Exchange<T>) {
  const lease = await service.sandboxes.borrow(c.req.param('id') ?? '', { signal: c.req.raw.signal });
  const giveUp = new AbortController();
  const stream = new SseStream(() => giveUp.abort());
  const tell = (event: string, data: unknown) => stream.send({ event, data });
  const follow = async () => {
    using _lease = lease;
    try {
      const result = await work(lease.connection.git, giveUp.signal, ({ text }) => {
        // A client that reads slowly is told of less.
        if (stream.pending === 0) void tell('progress', { text }).catch(() => {});
      });
      await tell('result', result ?? {});
    } catch (error) {
      await tell('error', errorBody(SandboxError.from(error)));
    } finally {
      stream.end();
    }
  };
  follow().catch(() => {}); // The client is gone, so nobody is left to be told.
  const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'git stream failed');
  return c.body(streamBody(stream, { outgoing: c.env.outgoing, onError }), 200, {
    'content-type': 'text/event-stream',
  });
}
