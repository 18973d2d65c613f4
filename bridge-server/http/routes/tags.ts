import { z } from '@hono/zod-openapi';
import { exactObject } from '../exact-object.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema, nameSchema, snapshotRefSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { findSnapshot, useSandbox } from '../use-sandbox.ts';

const tags = ['snapshots'];
const params = z.object({ id: idSchema, tag: nameSchema });
const tagList = z.object({ items: z.array(z.object({ tag: z.string(), snapshot: z.string() })) });

/** Names for snapshots that are to stay. */
export function tagRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/tags',
      operationId: 'listTags',
      needs: 'history.get',
      summary: 'Every tag and its snapshot.',
      tags,
      request: { params: z.object({ id: idSchema }) },
      responses: {
        200: { description: 'The tags.', content: { 'application/json': { schema: tagList } } },
        ...failed,
      },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const { snapshots } = await useSandbox(service, target, (sandbox) => sandbox.history.get());
      const items = snapshots.flatMap((snapshot) =>
        snapshot.tags.map((tag) => ({ tag, snapshot: snapshot.id })),
      );
      return c.json({ items }, 200);
    },
  );

  mount(
    {
      method: 'put',
      path: '/v1/sandboxes/{id}/tags/{tag}',
      operationId: 'setTag',
      needs: 'history.setTag',
      summary: 'Gives a snapshot a tag, or moves the tag to it.',
      tags,
      request: {
        params,
        body: {
          required: true,
          content: {
            'application/json': {
              schema: exactObject({ snapshot: snapshotRefSchema }),
              example: { snapshot: 'HEAD' },
            },
          },
        },
      },
      responses: { 204: { description: 'Done.' }, ...failed },
    },
    async (c) => {
      const { id, tag } = c.req.valid('param');
      const { snapshot } = c.req.valid('json');
      const target = { id, signal: c.req.raw.signal };
      await useSandbox(service, target, async (sandbox) =>
        sandbox.history.setTag({ name: tag, id: await findSnapshot(sandbox, snapshot) }),
      );
      return c.body(null, 204);
    },
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}/tags/{tag}',
      operationId: 'deleteTag',
      needs: 'history.setTag',
      summary: 'Takes a tag away; its snapshot stays.',
      tags,
      request: { params },
      responses: { 204: { description: 'Done.' }, ...failed },
    },
    async (c) => {
      const { id, tag } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      await useSandbox(service, target, (sandbox) => sandbox.history.setTag({ name: tag, id: undefined }));
      return c.body(null, 204);
    },
  );
}
