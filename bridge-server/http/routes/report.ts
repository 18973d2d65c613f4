import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { exitReasons } from '../../../protocol/sandbox/processes.ts';
import { errorBody, errorPartSchema } from '../error-body.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema, sandboxSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const usage = z
  .object({
    cpuMs: z.number().optional(),
    memoryBytes: z.number().optional(),
    memoryPeakBytes: z.number().optional(),
    threads: z.number().optional(),
    outOfMemoryKills: z.number().optional(),
  })
  .openapi({ description: 'Of its machine since that was started last, as far as this host counts it.' });

const command = z.object({
  command: z.string(),
  startedAtMs: z.number(),
  durationMs: z.number(),
  exitCode: z.number().optional().openapi({ description: 'Absent where its terminal ended before it did.' }),
  signal: z.string().optional(),
  reason: z.enum(exitReasons).optional(),
  cpuMs: z.number().optional(),
  maxRssBytes: z.number().optional(),
});

const report = z
  .object({
    info: sandboxSchema,
    takenAtMs: z.number(),
    openedAtMs: z
      .number()
      .openapi({ description: 'When the bridge opened it: commands are told since then.' }),
    usage: usage.optional(),
    history: z.object({ snapshots: z.number(), head: z.string().optional() }),
    capturesStopped: errorPartSchema.optional(),
    watch: z
      .object({
        by: z.enum(['fanotify', 'inotify', 'polling']),
        why: z.string().optional(),
        watches: z.number().optional(),
        limit: z.number().optional(),
      })
      .optional()
      .openapi({ description: 'How changes are found that no command and no client tells of.' }),
    changes: z
      .object({
        created: z.number(),
        modified: z.number(),
        deleted: z.number(),
        renamed: z.number(),
        metadata: z.number(),
      })
      .optional()
      .openapi({ description: 'Paths that differ now from the image.' }),
    commands: z.object({
      started: z.number(),
      running: z.number(),
      last: z
        .array(command)
        .openapi({ description: `Those that ended, ${limits.reportedCommands} at most, the last one last.` }),
    }),
  })
  .openapi('Report');

/** What a sandbox is and did. */
export function reportRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/report',
      operationId: 'reportSandbox',
      needs: 'info.report',
      summary: 'What the sandbox is, uses and did, in one answer; what is not known is absent.',
      tags: ['sandboxes'],
      request: { params: z.object({ id: idSchema }) },
      responses: {
        200: { description: 'The report.', content: { 'application/json': { schema: report } } },
        ...failed,
      },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const told = await useSandbox(service, target, (sandbox) => sandbox.info.report());
      const { info, commands, capturesStopped: why, ...rest } = told;
      return c.json(
        {
          ...rest,
          info: { ...info, state: 'open' as const },
          ...(why ? { capturesStopped: errorBody(SandboxError.from(why)).error } : {}),
          commands: { ...commands, last: commands.last.map((each) => ({ ...each })) },
        },
        200,
      );
    },
  );
}
