import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { resolveSnapshot } from '../../../protocol/resolve-snapshot.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { type ErrorBody, errorBody, errorSchema } from '../error-body.ts';
import { exactObject } from '../exact-object.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import {
  anySnapshotSchema,
  changesSchema,
  checkoutSchema,
  failed,
  idSchema,
  nameSchema,
  pageOf,
  pageShape,
  type SandboxView,
  sandboxSchema,
  snapshotRefSchema,
  snapshotSchema,
} from '../schemas.ts';
import type { Service } from '../service.ts';
import { findHolder, findSnapshot, useSandbox } from '../use-sandbox.ts';

const tags = ['snapshots'];
const params = z.object({ id: idSchema });
const oneParams = z.object({ id: idSchema, snapshot: snapshotRefSchema });
const snapshotBody = exactObject({ label: nameSchema.optional() });
const forkBody = exactObject({
  name: nameSchema.optional(),
  count: z.number().int().min(1).max(limits.forks).default(1),
});

const historyPage = z
  .object({
    items: z.array(snapshotSchema),
    head: z.string(),
    pending: changesSchema.openapi({ description: 'Changed since HEAD, in no snapshot yet.' }),
    next: z.string().optional(),
  })
  .openapi('History');

const forks = z.object({ items: z.array(sandboxSchema), errors: z.array(errorSchema) }).openapi('Forks');

/** The past of a sandbox: snapshots, going back to one, going on from one elsewhere. */
export function snapshotRoutes(mount: Mount, service: Service): void {
  for (const { path, operationId } of [
    { path: '/v1/sandboxes/{id}/snapshots', operationId: 'createSnapshot' },
    { path: '/v1/sandboxes/{id}/snapshot', operationId: 'takeSnapshot' },
  ]) {
    mount(
      {
        method: 'post',
        path,
        operationId,
        needs: 'history.createSnapshot',
        summary: 'Takes a snapshot; answers when it is durable.',
        tags,
        request: { params, body: { content: json(snapshotBody, { label: 'before the upgrade' }) } },
        responses: { 201: { description: 'The snapshot.', content: json(snapshotSchema) }, ...failed },
      },
      async (c) => {
        const { label } = c.req.valid('json');
        const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
        const options = label === undefined ? {} : { label };
        return c.json(
          await useSandbox(service, target, (sandbox) => sandbox.history.createSnapshot(options)),
          201,
        );
      },
    );
  }

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/snapshots',
      operationId: 'listSnapshots',
      needs: 'history.get',
      summary: 'The history, oldest first.',
      tags,
      request: { params, query: z.object(pageShape) },
      responses: { 200: { description: 'A page of it.', content: json(historyPage) }, ...failed },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const { snapshots, head, pending } = await useSandbox(service, target, (sandbox) =>
        sandbox.history.get(),
      );
      const { items, next } = pageOf(snapshots, { ...c.req.valid('query'), key: ({ id }) => id });
      return c.json({ items: [...items], head, pending, next }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}',
      operationId: 'getSnapshot',
      needs: 'history.get',
      summary: 'One snapshot.',
      tags,
      request: { params: oneParams },
      responses: { 200: { description: 'The snapshot.', content: json(snapshotSchema) }, ...failed },
    },
    async (c) => {
      const { id, snapshot } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      return c.json(await useSandbox(service, target, (sandbox) => snapshotInfo(sandbox, snapshot)), 200);
    },
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}',
      operationId: 'deleteSnapshot',
      needs: 'history.deleteSnapshot',
      summary: 'Forgets a snapshot that is neither HEAD nor tagged.',
      tags,
      request: { params: oneParams },
      responses: { 204: { description: 'It is gone.' }, ...failed },
    },
    async (c) => {
      const { id, snapshot } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      await useSandbox(service, target, async (sandbox) =>
        sandbox.history.deleteSnapshot({ id: await findSnapshot(sandbox, snapshot) }),
      );
      return c.body(null, 204);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}/checkout',
      operationId: 'checkout',
      needs: 'history.checkout',
      summary: 'Goes back: ends every process, puts the files back, moves HEAD.',
      tags,
      request: {
        params: oneParams,
        body: {
          content: json(
            exactObject({
              discard: z
                .boolean()
                .default(false)
                .openapi({ description: 'Give up what changed since HEAD instead of saving it first.' }),
            }),
            { discard: false },
          ),
        },
      },
      responses: {
        200: { description: 'Where HEAD is, and what was left.', content: json(checkoutSchema) },
        ...failed,
      },
    },
    async (c) => {
      const { id, snapshot } = c.req.valid('param');
      const { discard = false } = c.req.valid('json');
      const target = { id, signal: c.req.raw.signal };
      return c.json(
        await useSandbox(service, target, async (sandbox) =>
          sandbox.history.checkout({ id: await findSnapshot(sandbox, snapshot), discard }),
        ),
        200,
      );
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}/fork',
      operationId: 'fork',
      needs: 'history.fork',
      summary: 'Makes other sandboxes that start from a snapshot.',
      tags,
      request: {
        params: oneParams,
        body: {
          content: json(forkBody, { name: 'try', count: 2 }),
        },
      },
      responses: {
        201: { description: 'Those that were made, and why others were not.', content: json(forks) },
        ...failed,
      },
    },
    async (c) => {
      const { id, snapshot } = c.req.valid('param');
      const target = { id, snapshot, signal: c.req.raw.signal };
      return c.json(await fork(service, { ...target, ...c.req.valid('json') }), 201);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/snapshots/{snapshot}/branch',
      operationId: 'branchAnySnapshot',
      needs: 'history.fork',
      summary: 'Makes other sandboxes that start from a snapshot, whichever sandbox has it.',
      tags,
      request: {
        params: z.object({ snapshot: anySnapshotSchema }),
        body: { content: json(forkBody, { name: 'try', count: 2 }) },
      },
      responses: {
        201: { description: 'Those that were made, and why others were not.', content: json(forks) },
        ...failed,
      },
    },
    async (c) => {
      const { owner } = c.var;
      const holder = await findHolder(service, { owner, reference: c.req.valid('param').snapshot });
      const target = { id: holder.sandbox, snapshot: holder.snapshot, signal: c.req.raw.signal };
      return c.json(await fork(service, { ...target, ...c.req.valid('json') }), 201);
    },
  );
}

/** One that could not be made is an error beside those that were; it is thrown when none was. */
async function fork(
  service: Service,
  {
    id,
    snapshot,
    signal,
    name,
    count = 1,
  }: {
    id: string;
    snapshot: string;
    signal: AbortSignal;
    name?: string | undefined;
    count?: number;
  },
): Promise<{ items: SandboxView[]; errors: ErrorBody[] }> {
  const made = await useSandbox(service, { id, signal }, async (sandbox) => {
    const from = await findSnapshot(sandbox, snapshot);
    const options = name === undefined ? {} : { name };
    return Promise.allSettled(
      Array.from({ length: count }, () => sandbox.history.fork({ id: from, ...options })),
    );
  });
  const items = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const errors = made.flatMap((each) => (each.status === 'rejected' ? [SandboxError.from(each.reason)] : []));
  const [first] = errors;
  if (items.length === 0 && first) throw first;
  return {
    items: items.map((info) => ({ ...info, state: 'closed' as const })),
    errors: errors.map(errorBody),
  };
}

async function snapshotInfo(sandbox: SandboxConnection, reference: string): Promise<SnapshotInfo> {
  const view = await sandbox.history.get();
  const id = resolveSnapshot(view, reference);
  const found = view.snapshots.find((snapshot) => snapshot.id === id);
  if (!found)
    throw new SandboxError('not-found', `There is no snapshot "${id}"`, { details: { snapshot: id } });
  return found;
}
