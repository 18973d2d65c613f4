import { z } from '@hono/zod-openapi';
import { limits } from '../../../protocol/limits.ts';
import { listProcesses, type ProcessList, processStates } from '../../../protocol/list-processes.ts';
import { unknownSandbox } from '../../access/allow.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const processList = z
  .object({
    items: z
      .array(
        z.object({
          pid: z.number(),
          parentPid: z.number(),
          user: z.string(),
          command: z.array(z.string()),
          state: z.enum(processStates),
          cpuMs: z.number(),
          residentBytes: z.number(),
        }),
      )
      .openapi({ description: `By their numbers, ${limits.listedProcesses} at most.` }),
    isComplete: z.boolean(),
  })
  .openapi('Processes');

const none: ProcessList = { processes: [], isComplete: true };

/** What runs in a sandbox. */
export function processRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/processes',
      operationId: 'listProcesses',
      // It runs a program inside to find out.
      needs: 'processes.exec',
      summary: 'What runs in the sandbox, for a token that may write; nothing in one that is not open.',
      tags: ['commands'],
      request: { params: z.object({ id: idSchema }) },
      responses: {
        200: { description: 'The processes.', content: { 'application/json': { schema: processList } } },
        ...failed,
      },
    },
    async (c) => {
      const { id } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      // To start it only to see that nothing runs would be odd.
      const isOpen = service.sandboxes.has(id);
      if (!isOpen && !(await service.backend.list()).some((each) => each.id === id)) throw unknownSandbox(id);
      const { processes, isComplete } = isOpen ? await useSandbox(service, target, listProcesses) : none;
      return c.json(
        { items: processes.map((each) => ({ ...each, command: [...each.command] })), isComplete },
        200,
      );
    },
  );
}
