import { z } from '@hono/zod-openapi';
import { limits } from '../../../protocol/limits.ts';
import type { NetworkLog } from '../../../protocol/network-log.ts';
import { unknownSandbox } from '../../access/allow.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const flow = z
  .object({
    id: z.number(),
    type: z.enum(['connection', 'question']),
    startedAtMs: z.number(),
    name: z.string().optional().openapi({ description: 'Said by the sandbox.' }),
    address: z.string().optional(),
    port: z.number().optional(),
    verdict: z.enum(['allowed', 'denied', 'failed']),
    why: z.string().optional(),
    sentBytes: z.number().optional(),
    receivedBytes: z.number().optional(),
    durationMs: z.number().optional().openapi({ description: 'Absent while it goes on.' }),
  })
  .openapi('NetworkFlow');
const networkLog = z
  .object({
    items: z.array(flow).openapi({ description: `The oldest first, ${limits.networkLogEntries} at most.` }),
    forgotten: z.number().openapi({ description: 'How many older ones were forgotten.' }),
  })
  .openapi('NetworkLog');

const none: NetworkLog = { flows: [], forgotten: 0 };

/** What a sandbox did in the network. */
export function networkRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/network',
      operationId: 'readNetworkLog',
      needs: 'network.log',
      summary: 'What the sandbox did in the network, and was denied; nothing of one that is not open.',
      tags: ['sandboxes'],
      request: { params: z.object({ id: idSchema }) },
      responses: {
        200: { description: 'The log.', content: { 'application/json': { schema: networkLog } } },
        ...failed,
      },
    },
    async (c) => {
      const { id } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      const isOpen = service.sandboxes.has(id);
      if (!isOpen && !(await service.backend.list()).some((each) => each.id === id)) throw unknownSandbox(id);
      const { flows, forgotten } = isOpen
        ? await useSandbox(service, target, (connection) => connection.network.log())
        : none;
      return c.json({ items: [...flows], forgotten }, 200);
    },
  );
}
