import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import { lostShellParts, type ShellInfo } from '../../../protocol/sandbox/shells.ts';
import { exactObject } from '../exact-object.ts';
import type { Mount } from '../mount.ts';
import { envsSchema, failed, idSchema, pathSchema, shellIdSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { useSandbox } from '../use-sandbox.ts';

const tags = ['shells'];

const shellSchema = z
  .object({
    id: z.string(),
    user: z.enum(['user', 'root']),
    cwd: z.string().openapi({ description: 'After its last run.' }),
    isRunning: z.boolean(),
    lost: z.array(z.enum(lostShellParts)).openapi({
      description: 'Parts of its state that no snapshot has: they are jobs, traps, or too large.',
    }),
  })
  .openapi('Shell');

const stateSchema = z.base64().openapi({
  description:
    'What another shell had saved, in base64: without `cwd` and `envs`; `user` has to be that of the state.',
});

const params = z.object({ id: idSchema, shell: shellIdSchema });

/** Shells of a sandbox; commands run in them by `commandRoutes`. */
export function shellRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/shells',
      operationId: 'openShell',
      needs: 'shells.open',
      summary: 'Opens a shell, which goes on from one command to the next.',
      tags,
      request: {
        params: z.object({ id: idSchema }),
        body: {
          required: true,
          content: {
            'application/json': {
              schema: exactObject({
                cwd: pathSchema.optional(),
                envs: envsSchema.optional(),
                user: z.enum(['user', 'root']).optional(),
                state: stateSchema.optional(),
              }),
              example: { cwd: '/tmp' },
            },
          },
        },
      },
      responses: {
        201: { description: 'The shell.', content: { 'application/json': { schema: shellSchema } } },
        ...failed,
      },
    },
    async (c) => {
      const { cwd, envs, user, state } = c.req.valid('json');
      const ask = {
        ...(cwd === undefined ? {} : { cwd }),
        ...(envs === undefined ? {} : { envs }),
        ...(user === undefined ? {} : { user }),
      };
      if (state !== undefined && (cwd !== undefined || envs !== undefined)) {
        const message =
          'Cannot open the shell: a saved state has a directory and variables: leave out cwd and envs';
        throw new SandboxError('invalid-argument', message);
      }
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const shell = await useSandbox(service, target, ({ shells }) =>
        state === undefined
          ? shells.open(ask)
          : shells.restore({ bytes: Buffer.from(state, 'base64'), ...(user === undefined ? {} : { user }) }),
      );
      return c.json(describeShell(shell), 201);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/shells',
      operationId: 'listShells',
      needs: 'shells.list',
      summary: 'The shells of the sandbox.',
      tags,
      request: { params: z.object({ id: idSchema }) },
      responses: {
        200: {
          description: 'The shells, as they were opened.',
          content: { 'application/json': { schema: z.object({ items: z.array(shellSchema) }) } },
        },
        ...failed,
      },
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const items = await useSandbox(service, target, ({ shells }) => shells.list());
      return c.json({ items: items.map(describeShell) }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/shells/{shell}/state',
      operationId: 'saveShell',
      needs: 'shells.save',
      summary: 'The state of a shell, from which another one can go on.',
      tags,
      request: { params },
      responses: {
        200: {
          description: 'The state.',
          content: { 'application/json': { schema: z.object({ state: stateSchema }) } },
        },
        ...failed,
      },
    },
    async (c) => {
      const { id, shell } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      const state = await useSandbox(service, target, ({ shells }) => shells.save({ id: shell }));
      return c.json({ state: Buffer.from(state).toString('base64') }, 200);
    },
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}/shells/{shell}',
      operationId: 'closeShell',
      needs: 'shells.close',
      summary: 'Ends a shell with all that runs in it.',
      tags,
      request: { params },
      responses: { 204: { description: 'Done.' }, ...failed },
    },
    async (c) => {
      const { id, shell } = c.req.valid('param');
      const target = { id, signal: c.req.raw.signal };
      await useSandbox(service, target, ({ shells }) => shells.close({ id: shell }));
      return c.body(null, 204);
    },
  );
}

function describeShell({ lost, ...shell }: ShellInfo): z.infer<typeof shellSchema> {
  return { ...shell, lost: [...lost] };
}
