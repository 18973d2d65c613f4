import { z } from '@hono/zod-openapi';
import type { Mount } from '../mount.ts';
import {
  changeSchema,
  failed,
  idSchema,
  pageOf,
  pageShape,
  snapshotIdSchema,
  treeRefSchema,
} from '../schemas.ts';
import type { Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const tags = ['snapshots'];
const params = z.object({ id: idSchema });
const oneParams = z.object({ id: idSchema, snapshot: snapshotIdSchema });
const json = <Schema extends z.ZodType>(schema: Schema) => ({ 'application/json': { schema } });
const changePage = z.object({ items: z.array(changeSchema), next: z.string().optional() }).openapi('Changes');

/** Differences between two trees, in pages. */
export function diffRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}/diff',
      operationId: 'diffSnapshot',
      summary: 'What changed from a snapshot to another, or until now.',
      tags,
      request: { params: oneParams, query: z.object({ to: treeRefSchema.default('now'), ...pageShape }) },
      responses: {
        200: { description: 'A page of the changes.', content: json(changePage) },
        ...failed,
      },
    },
    async (c) => {
      const { id, snapshot } = c.req.valid('param');
      const { to, ...range } = c.req.valid('query');
      const target = { id, signal: c.req.raw.signal };
      const changes = await useSandbox(service, target, (sandbox) => sandbox.diff(snapshot, to));
      const { items, next } = pageOf(changes, { ...range, key: changeKey });
      return c.json({ items: [...items], next }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/diff',
      operationId: 'diff',
      summary: 'What changed between two trees.',
      tags,
      request: {
        params,
        query: z.object({ from: treeRefSchema, to: treeRefSchema.default('now'), ...pageShape }),
      },
      responses: {
        200: { description: 'A page of the changes.', content: json(changePage) },
        ...failed,
      },
    },
    async (c) => {
      const { from, to, ...range } = c.req.valid('query');
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const changes = await useSandbox(service, target, (sandbox) => sandbox.diff(from, to));
      const { items, next } = pageOf(changes, { ...range, key: changeKey });
      return c.json({ items: [...items], next }, 200);
    },
  );
}

function changeKey({ type, path }: { type: string; path: string }): string {
  return `${type}:${path}`;
}
