import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { limits } from '../../../protocol/limits.ts';
import type { GitFacet } from '../../../protocol/sandbox/git.ts';
import { exactObject } from '../exact-object.ts';
import {
  gitAuthorSchema,
  gitBranches,
  gitCommit,
  gitDiff,
  gitDirectorySchema,
  gitHead,
  gitMerged,
  gitRefSchema,
  gitStatus,
  gitTextSchema,
} from '../git-schemas.ts';
import { given } from '../given.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { BridgeEnv, Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const tags = ['repositories'];
const params = z.object({ id: idSchema });
const directory = '/home/user/project';
const done = { 204: { description: 'Done.' }, ...failed };

const ref = gitRefSchema;
const author = gitAuthorSchema.optional();
const asks = {
  merge: exactObject({ directory: gitDirectorySchema, ref, author }),
  paths: exactObject({
    directory: gitDirectorySchema,
    paths: z
      .array(gitTextSchema)
      .min(1)
      .max(limits.gitStatusFiles)
      .optional()
      .openapi({ description: 'Relative to the directory; all by default.' }),
  }),
  commit: exactObject({ directory: gitDirectorySchema, message: gitTextSchema, author }),
  checkout: exactObject({
    directory: gitDirectorySchema,
    ref,
    create: z.boolean().optional().openapi({ description: 'At a new branch of that name, from HEAD.' }),
  }),
  directory: z.object({ directory: gitDirectorySchema }),
  diff: z.object({
    directory: gitDirectorySchema,
    staged: z.enum(['true', 'false']).optional().openapi({ description: 'HEAD with the index.' }),
    from: ref.optional().openapi({ description: 'A commit or a branch.' }),
    to: ref.optional().openapi({ description: 'The other side; the working tree by default.' }),
  }),
  log: z.object({
    directory: gitDirectorySchema,
    ref: ref.optional().openapi({ description: 'HEAD by default.' }),
    most: z.coerce.number().int().min(1).max(limits.gitLogCommits).default(limits.gitLogUsual),
  }),
} as const;

function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { 200: { description, content: { 'application/json': { schema } } }, ...failed };
}

function body<Schema extends z.ZodType>(schema: Schema, example: object) {
  return { params, body: { required: true, content: { 'application/json': { schema, example } } } };
}

/** Git repositories among the files of a sandbox. */
export function repositoryRoutes(mount: Mount, service: Service): void {
  readingRoutes(mount, service);
  changingRoutes(mount, service);
}

function readingRoutes(mount: Mount, service: Service): void {
  const route = { method: 'get', tags } as const;
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/status',
      operationId: 'readRepositoryStatus',
      needs: 'git.status',
      summary: 'The files of a repository that differ between HEAD, the index and the working tree.',
      request: { params, query: asks.directory },
      responses: json(gitStatus, 'The status.'),
    },
    async (c) => {
      const status = await inSandbox(c, service, (git) => git.status(given(c.req.valid('query'))));
      return c.json({ ...status, files: [...status.files] }, 200);
    },
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/diff',
      operationId: 'compareInRepository',
      needs: 'git.diff',
      summary: 'A patch of the working tree, the index or commits of a repository, as `git diff` has it.',
      request: { params, query: asks.diff },
      responses: json(gitDiff, 'The patch.'),
    },
    async (c) => {
      const { staged, ...sides } = given(c.req.valid('query'));
      const ask = { ...sides, staged: staged === 'true' };
      return c.json(await inSandbox(c, service, (git) => git.diff(ask)), 200);
    },
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/log',
      operationId: 'readRepositoryLog',
      needs: 'git.log',
      summary: 'The commits of a repository, newest first.',
      request: { params, query: asks.log },
      responses: json(z.object({ items: z.array(gitCommit) }), 'The commits.'),
    },
    async (c) => {
      const commits = await inSandbox(c, service, (git) => git.log(given(c.req.valid('query'))));
      const items = commits.map((commit) => ({ ...commit, parents: [...commit.parents] }));
      return c.json({ items }, 200);
    },
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/branches',
      operationId: 'listRepositoryBranches',
      needs: 'git.branches',
      summary: 'The branches of a repository, and how far the current one is from the one that it follows.',
      request: { params, query: asks.directory },
      responses: json(gitBranches, 'The branches.'),
    },
    async (c) => {
      const listed = await inSandbox(c, service, (git) => git.branches(given(c.req.valid('query'))));
      return c.json({ ...listed, branches: [...listed.branches] }, 200);
    },
  );
}

function changingRoutes(mount: Mount, service: Service): void {
  const route = { method: 'post', tags } as const;
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/add',
      operationId: 'stageInRepository',
      needs: 'git.add',
      summary: 'Stages the files at or below paths, or all that differ.',
      request: body(asks.paths, { directory }),
      responses: done,
    },
    async (c) => {
      await inSandbox(c, service, (git) => git.add(given(c.req.valid('json'))));
      return c.body(null, 204);
    },
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/unstage',
      operationId: 'unstageInRepository',
      needs: 'git.unstage',
      summary: 'Puts the index back to HEAD at or below paths, or everywhere; files stay as they are.',
      request: body(asks.paths, { directory, paths: ['src'] }),
      responses: done,
    },
    async (c) => {
      await inSandbox(c, service, (git) => git.unstage(given(c.req.valid('json'))));
      return c.body(null, 204);
    },
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/commit',
      operationId: 'commitInRepository',
      needs: 'git.commit',
      summary: 'Commits what is staged.',
      request: body(asks.commit, {
        ...{ directory, message: 'Add notes' },
        author: { name: 'Ada', email: 'ada@example.org' },
      }),
      responses: json(gitCommit, 'The commit.'),
    },
    async (c) => {
      const commit = await inSandbox(c, service, (git) => git.commit(given(c.req.valid('json'))));
      return c.json({ ...commit, parents: [...commit.parents] }, 200);
    },
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/checkout',
      operationId: 'checkOutInRepository',
      needs: 'git.checkout',
      summary: 'Puts the working tree at a branch, a tag or a commit, or at a new branch.',
      request: body(asks.checkout, { directory, ref: 'main' }),
      responses: json(gitHead, 'Where HEAD is.'),
    },
    async (c) => c.json(await inSandbox(c, service, (git) => git.checkout(given(c.req.valid('json')))), 200),
  );
  mount(
    {
      ...route,
      path: '/v1/sandboxes/{id}/git/merge',
      operationId: 'mergeInRepository',
      needs: 'git.merge',
      summary: 'Merges a branch, a tag or a commit into the current branch; all or nothing.',
      request: body(asks.merge, { directory, ref: 'other' }),
      responses: json(gitMerged, 'Where HEAD is.'),
    },
    async (c) => c.json(await inSandbox(c, service, (git) => git.merge(given(c.req.valid('json')))), 200),
  );
}

function inSandbox<T>(
  c: Context<BridgeEnv>,
  service: Service,
  work: (git: GitFacet) => Promise<T>,
): Promise<T> {
  const target = { id: c.req.param('id') ?? '', signal: c.req.raw.signal };
  return useSandbox(service, target, ({ git }) => work(git));
}
