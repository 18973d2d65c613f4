import { z } from '@hono/zod-openapi';
import { limits } from '../../../protocol/limits.ts';
import { exactObject } from '../exact-object.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const tags = ['snapshots'];
const path = '/v1/sandboxes/{id}/retention';
const params = z.object({ id: idSchema });

const count = z.number().int().min(0).max(limits.keepPolicy);
const policySchema = exactObject({
  last: count.openapi({ description: 'The newest snapshots.' }),
  hourly: count.openapi({ description: 'Then the newest of each of so many hours that have one.' }),
  daily: count.openapi({ description: 'Then the newest of each of so many days that have one.' }),
}).openapi('KeepPolicy');
const policyExample = { last: 100, hourly: 48, daily: 30 };

const pruned = z
  .object({
    forgotten: z.array(z.string()).openapi({ description: 'Oldest first.' }),
    kept: z.number(),
    freedBytes: z.number(),
  })
  .openapi('Pruned');

/** Which snapshots are kept, and forgetting the others. */
export function retentionRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/prune',
      operationId: 'prune',
      needs: 'history.prune',
      summary: 'Forgets older snapshots by a policy, and frees what only they have; or tells which would go.',
      tags,
      request: {
        params,
        body: {
          content: json(
            exactObject({
              policy: policySchema
                .optional()
                .openapi({ description: 'Instead of the policy of the sandbox.' }),
              dryRun: z.boolean().optional().openapi({ description: 'Only tell what would go.' }),
            }),
            { policy: policyExample, dryRun: true },
          ),
        },
      },
      responses: { 200: { description: 'What went, or would.', content: json(pruned) }, ...failed },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const { policy, dryRun } = c.req.valid('json');
      const options = { ...(policy && { policy }), ...(dryRun === undefined ? {} : { dryRun }) };
      const result = await useSandbox(service, target, (sandbox) => sandbox.history.prune(options));
      return c.json({ ...result, forgotten: [...result.forgotten] }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path,
      operationId: 'getRetention',
      needs: 'history.get',
      summary: 'The policy by which older snapshots are forgotten; empty where none was set.',
      tags,
      request: { params },
      responses: {
        200: {
          description: 'The policy, if there is one.',
          content: json(z.object({ policy: policySchema.optional() })),
        },
        ...failed,
      },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const { retention } = await useSandbox(service, target, (sandbox) => sandbox.history.get());
      return c.json(retention ? { policy: retention } : {}, 200);
    },
  );

  mount(
    {
      method: 'put',
      path,
      operationId: 'setRetention',
      needs: 'history.setRetention',
      summary: 'Sets the policy by which older snapshots are forgotten from now on.',
      tags,
      request: { params, body: { required: true, content: json(policySchema, policyExample) } },
      responses: { 204: { description: 'Done.' }, ...failed },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const policy = c.req.valid('json');
      await useSandbox(service, target, (sandbox) => sandbox.history.setRetention({ policy }));
      return c.body(null, 204);
    },
  );

  mount(
    {
      method: 'delete',
      path,
      operationId: 'deleteRetention',
      needs: 'history.setRetention',
      summary: 'Takes the policy away: older snapshots thin out as in a new sandbox.',
      tags,
      request: { params },
      responses: { 204: { description: 'Done.' }, ...failed },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      await useSandbox(service, target, (sandbox) => sandbox.history.setRetention({ policy: undefined }));
      return c.body(null, 204);
    },
  );
}
