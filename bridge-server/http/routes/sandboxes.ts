import { z } from '@hono/zod-openapi';
import { limits } from '../../../protocol/limits.ts';
import type { CreateOptions } from '../../../protocol/sandbox/backend.ts';
import type { SnapshotRef } from '../../../protocol/sandbox/refs.ts';
import { runtimeNames, type SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { sees, unknownSandbox } from '../../access/allow.ts';
import { exactObject, unknownName } from '../exact-object.ts';
import { gitCredentialsSchema, submodulesSchema } from '../git-schemas.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import {
  anySnapshotSchema,
  failed,
  idSchema,
  nameSchema,
  pageOf,
  pageShape,
  pathSchema,
  type SandboxView,
  sandboxSchema,
  snapshotRefSchema,
} from '../schemas.ts';
import type { Service } from '../service.ts';
import { findHolder } from '../use-sandbox.ts';

const tags = ['sandboxes'];
const params = z.object({ id: idSchema });
const oneSandbox = {
  description: 'The sandbox.',
  content: { 'application/json': { schema: sandboxSchema } },
};

/** What is past the operator's maximum is refused by name; what no host could have, here. */
const amount = ({ usual, max, most }: { usual: number; max: number; most: number }, unit: string) => {
  const description = `${usual} unless it is said, at most ${max} unless the operator says otherwise: ${unit}.`;
  return z.number().int().min(1).max(most).optional().openapi({ description });
};

/** Of what there is no limit unless somebody asks for one. */
const unlimited = ({ most }: { most: number }, description: string) => {
  return z
    .number()
    .positive()
    .max(most)
    .optional()
    .openapi({
      description: `${description} Without it, as much as the operator allows; 501 where the host cannot hold it to that.`,
    });
};

const timeout = z.number().int().min(limits.sandboxTimeoutMs.min).max(limits.sandboxTimeoutMs.max);

/** What any new sandbox may be told to be. */
const newSandboxShape = {
  name: nameSchema.optional(),
  memoryMiB: amount(limits.hostMemoryMiB, 'MiB'),
  diskMiB: amount(limits.hostDiskMiB, 'MiB'),
  cpuShares: amount(limits.hostCpuShares, 'weight against other sandboxes'),
  pids: amount(limits.hostPids, 'processes and threads'),
  cpus: unlimited(limits.hostCpus, 'Processors that all of it uses at once, at most, such as 0.5.'),
  ioMiBps: unlimited(
    limits.hostIoMiBps,
    'MiB a second that it reads of its disk, and that it writes, at most.',
  ),
  network: z.enum(['isolated', 'full']).optional().openapi({
    description: '`full`: the public internet over IPv4, where the host has a network for sandboxes.',
  }),
  allow: z
    .array(z.string().max(limits.allowedHostCharacters))
    .min(1)
    .max(limits.allowedHosts)
    .optional()
    .openapi({
      description:
        'With `full`, what it reaches of that only: names, `*.` and a name for all below it, addresses or ranges of IPv4, each with a port or without.',
      example: ['pypi.org', '*.debian.org:443', '203.0.113.7:22'],
    }),
  nested: z.boolean().optional().openapi({
    description:
      'Let its programs make namespaces and mounts of their own, where the bridge allows it (else 403). Its walls are weaker.',
  }),
  envs: z
    .record(z.string(), z.string())
    .optional()
    .openapi({ description: 'What everything that runs in it finds in its environment. Not told again.' }),
  cwd: pathSchema
    .optional()
    .openapi({ description: 'Where everything that runs in it begins; made where it is not there.' }),
  ignore: z.array(pathSchema).max(limits.ignoredPaths).optional().openapi({
    description:
      'Directories, such as caches, in which changes in the background do not cause a capture; the next one has them.',
  }),
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .openapi({ description: 'Labels, to list by: `?metadata.team=red`.', example: { team: 'red' } }),
  timeoutMs: timeout.optional().openapi({ description: 'From now on; then it is deleted with its history.' }),
};

const restoreBody = exactObject(newSandboxShape);

const createBody = exactObject({
  ...newSandboxShape,
  runtime: z.enum(runtimeNames).optional().openapi({
    description:
      'What runs it: `jail` unless it is said, or `shell`, which takes no image and is there in milliseconds. 501 names those that there are.',
  }),
  image: nameSchema.optional(),
  workspace: exactObject({
    git: z.string().max(limits.gitUrlCharacters).openapi({
      description:
        'A URL: `https`, `http` or `ssh`, which need a network, or `file:///` inside. No password.',
    }),
    ref: z.string().max(limits.gitRefCharacters).optional().openapi({ description: 'A branch or a tag.' }),
    commit: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be the full id of a commit')
      .optional()
      .openapi({ description: 'Instead of `ref`.' }),
    path: pathSchema.optional().openapi({ description: '`/workspace` unless it is said.' }),
    credentials: gitCredentialsSchema.optional(),
    submodules: submodulesSchema,
  })
    .optional()
    .openapi({
      description:
        'A repository to clone before the sandbox is answered; where something is at its path already, nothing is.',
    }),
  from: exactObject({ sandbox: idSchema, snapshot: snapshotRefSchema })
    .optional()
    .openapi({ description: 'Start from a snapshot of another sandbox.' }),
});

const timeoutBody = exactObject({
  timeoutMs: timeout
    .nullable()
    .openapi({ description: 'From now on, then it is deleted with its history; `null` for no end.' }),
});

const stopBody = exactObject({
  discard: z.boolean().optional().openapi({
    description: 'Close it also where its last changes cannot be saved, and give those up.',
  }),
});

const labelPrefix = 'metadata.';
/** Labels are named in the query, so which names it has is not known before. */
const listQuery = z
  .object(pageShape)
  .catchall(z.string())
  .superRefine((query, context) => {
    for (const name of Object.keys(query)) {
      if (name in pageShape || name.startsWith(labelPrefix)) continue;
      const known = [...Object.keys(pageShape), `${labelPrefix}…`];
      context.addIssue({ code: 'custom', message: unknownName(name, { kind: 'parameter', known }) });
    }
  });

const listAnswer = z.object({ items: z.array(sandboxSchema), next: z.string().optional() });

/** Sandboxes: make, list, look at, open, close, delete. */
export function sandboxRoutes(mount: Mount, service: Service): void {
  const view = (info: SandboxInfo): SandboxView => ({
    ...info,
    state: service.sandboxes.has(info.id) ? 'open' : 'closed',
  });
  const find = async (id: string): Promise<SandboxInfo> => {
    const found = (await service.backend.list()).find((info) => info.id === id);
    if (!found) throw unknownSandbox(id);
    return found;
  };

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes',
      operationId: 'createSandbox',
      needs: 'backend.create',
      summary: 'Makes a sandbox and starts it.',
      tags,
      request: {
        body: {
          content: json(createBody, {
            name: 'build',
            memoryMiB: 1024,
            envs: { CI: '1' },
            metadata: { team: 'red' },
          }),
        },
      },
      responses: { 201: oneSandbox, ...failed },
    },
    async (c) => {
      const options = c.req.valid('json') as CreateOptions;
      using lease = await service.sandboxes.create({ ...options, signal: c.req.raw.signal });
      return c.json(view(await lease.connection.info.get()), 201);
    },
  );

  const restore = async (
    from: SnapshotRef,
    { options, signal }: { options: CreateOptions; signal: AbortSignal },
  ): Promise<SandboxView> => {
    using lease = await service.sandboxes.create({ ...options, from, signal });
    return view(await lease.connection.info.get());
  };

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}/restore',
      operationId: 'restoreSnapshot',
      needs: 'backend.create',
      summary: 'Makes a sandbox that starts from a snapshot, and starts it; `checkout` goes back in place.',
      tags: ['snapshots'],
      request: {
        params: z.object({ id: idSchema, snapshot: snapshotRefSchema }),
        body: { content: json(restoreBody, { name: 'as it was' }) },
      },
      responses: { 201: oneSandbox, ...failed },
    },
    async (c) => {
      const { id, snapshot } = c.req.valid('param');
      const options = c.req.valid('json') as CreateOptions;
      const how = { options, signal: c.req.raw.signal };
      return c.json(await restore({ sandbox: id, snapshot }, how), 201);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/snapshots/{snapshot}/restore',
      operationId: 'restoreAnySnapshot',
      needs: 'backend.create',
      summary: 'Makes a sandbox that starts from a snapshot, whichever sandbox has it, and starts it.',
      tags: ['snapshots'],
      request: {
        params: z.object({ snapshot: anySnapshotSchema }),
        body: { content: json(restoreBody, { name: 'as it was' }) },
      },
      responses: { 201: oneSandbox, ...failed },
    },
    async (c) => {
      const { owner } = c.var;
      const options = c.req.valid('json') as CreateOptions;
      const holder = await findHolder(service, { owner, reference: c.req.valid('param').snapshot });
      return c.json(await restore(holder, { options, signal: c.req.raw.signal }), 201);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes',
      operationId: 'listSandboxes',
      needs: 'backend.list',
      summary:
        'Lists the sandboxes that the token sees, oldest first; with `metadata.x=y`, those with that label.',
      tags,
      request: { query: listQuery },
      responses: {
        200: { description: 'A page.', content: { 'application/json': { schema: listAnswer } } },
        ...failed,
      },
    },
    async (c) => {
      const { owner } = c.var;
      const seen = (await service.backend.list()).filter(({ id }) => sees(owner, id));
      const { cursor, limit, ...query } = c.req.valid('query');
      const labels = Object.entries(query).map(
        ([name, value]) => [name.slice(labelPrefix.length), value] as const,
      );
      const wanted = seen.filter(({ metadata = {} }) =>
        labels.every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value),
      );
      const page = pageOf(wanted, { cursor, limit, key: ({ id }) => id });
      return c.json({ ...page, items: page.items.map(view) }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}',
      operationId: 'getSandbox',
      needs: 'info.get',
      summary: 'Tells about a sandbox, without opening it.',
      tags,
      request: { params },
      responses: { 200: oneSandbox, ...failed },
    },
    async (c) => c.json(view(await find(c.req.valid('param').id)), 200),
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}',
      operationId: 'deleteSandbox',
      needs: 'backend.delete',
      summary: 'Deletes a sandbox with its history, for good, whoever uses it.',
      tags,
      request: { params },
      responses: { 204: { description: 'It is gone.' }, ...failed },
    },
    async (c) => {
      const { id } = await find(c.req.valid('param').id);
      await service.sandboxes.close(id, { deletes: true });
      await service.backend.delete({ id });
      return c.body(null, 204);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/timeout',
      operationId: 'setTimeout',
      needs: 'backend.setTimeout',
      summary: 'Moves the end of a sandbox, which is deleted then, or takes it away.',
      tags,
      request: {
        params,
        body: { required: true, content: json(timeoutBody, { timeoutMs: 3_600_000 }) },
      },
      responses: { 200: oneSandbox, ...failed },
    },
    async (c) => {
      const { timeoutMs } = c.req.valid('json');
      const { id } = await find(c.req.valid('param').id);
      return c.json(view(await service.backend.setTimeout({ id, timeoutMs: timeoutMs ?? undefined })), 200);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/start',
      operationId: 'startSandbox',
      needs: 'processes.exec',
      summary:
        'Opens a sandbox ahead of its use; every use opens it too. A machine that has stopped is started again.',
      tags,
      request: { params },
      responses: { 200: oneSandbox, ...failed },
    },
    async (c) => {
      const { id } = c.req.valid('param');
      using lease = await service.sandboxes.start(id, { signal: c.req.raw.signal });
      return c.json(view(await lease.connection.info.get()), 200);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/stop',
      operationId: 'stopSandbox',
      needs: 'processes.exec',
      summary:
        'Closes a sandbox: its processes end, its files and its history stay. Where its last changes would be lost it stays open, and the error says why.',
      tags,
      request: { params, body: { content: json(stopBody, { discard: false }) } },
      responses: { 204: { description: 'It is closed.' }, ...failed },
    },
    async (c) => {
      const { id } = await find(c.req.valid('param').id);
      await service.sandboxes.close(id, c.req.valid('json'));
      return c.body(null, 204);
    },
  );
}
