import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { listenAbort } from '../../../protocol/abort.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { exitReasons } from '../../../protocol/sandbox/processes.ts';
import { shellProcesses } from '../../../protocol/shell-processes.ts';
import { errorPartSchema } from '../error-body.ts';
import { exactObject } from '../exact-object.ts';
import { type CommandAsk, describeOperation, runToEnd, streamCommand } from '../follow-command.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { readPreference } from '../prefer.ts';
import { envsSchema, failed, idSchema, pathSchema, shellIdSchema } from '../schemas.ts';
import type { BridgeEnv, Service } from '../service.ts';
import { slowJson } from '../slow-json.ts';
import { streamBody } from '../stream-body.ts';

const argument = z
  .string()
  .max(limits.execArgumentBytes)
  .refine((text) => !text.includes('\0'), 'must not hold NUL');

/** What any command may be told, also one in a shell. */
const commandOptions = {
  stdin: z.string().optional().openapi({ description: 'Text that it reads; without it, end-of-file.' }),
  timeoutMs: z
    .number()
    .int()
    .min(1)
    .max(limits.commandTimeoutMs.max)
    .default(limits.commandTimeoutMs.usual)
    .openapi({ description: 'Past it the whole process group is killed.' }),
  encoding: z
    .enum(['utf8', 'base64'])
    .default('utf8')
    .openapi({ description: 'Of the output; with utf8, what is no UTF-8 becomes U+FFFD.' }),
  stream: z
    .boolean()
    .default(false)
    .openapi({ description: 'Server-sent events instead: start, stdout, stderr, then exit or error.' }),
  onDisconnect: z.enum(['end', 'keep']).default('end').openapi({
    description:
      'What becomes of the command when its client goes before the end: it is killed, or goes on to its end or its deadline.',
  }),
};

const { commandLimits: most } = limits;
const commandLimits = exactObject({
  commands: z.number().int().min(1).max(most.commands).optional(),
  loopIterations: z.number().int().min(1).max(most.loopIterations).optional(),
  callDepth: z.number().int().min(1).max(most.callDepth).optional(),
  hereDocumentBytes: z.number().int().min(1).max(most.hereDocumentBytes).optional(),
});

const commandBody = exactObject({
  command: z.union([argument.min(1), z.array(argument).min(1).max(1_024)]).openapi({
    description: 'A string runs under /bin/bash -c; an array is executed as it is.',
  }),
  cwd: pathSchema.optional(),
  envs: envsSchema.optional(),
  user: z.enum(['user', 'root']).optional(),
  limits: commandLimits.optional().openapi({
    description:
      'Of a sandbox of the runtime "shell": what the scripts of the command may do. `limit` of the result names the one that was reached.',
  }),
  ...commandOptions,
});

const pathList = z.array(z.string());
const statusShape = {
  exitCode: z.number(),
  signal: z.string().optional(),
  reason: z.enum(exitReasons),
  durationMs: z.number(),
  cpuMs: z.number(),
  maxRssBytes: z.number(),
  limit: z.string().optional().openapi({ description: 'The kind of limit that ended it, such as time.' }),
  missing: pathList.optional().openapi({
    description: 'Programs that it did not find, the first few: told by a shell in the process.',
  }),
  files: z.object({ created: pathList, modified: pathList, deleted: pathList }),
  unsaved: errorPartSchema
    .optional()
    .openapi({ description: 'Why what it has changed could not be saved. The bridge keeps the files.' }),
};

const commandResult = z
  .object({
    ...statusShape,
    stdout: z.string(),
    stderr: z.string(),
    droppedBytes: z.number().openapi({
      description: `Output past ${limits.resultOutputBytes} bytes of a stream, not kept.`,
    }),
  })
  .openapi('CommandResult');

const operationSchema = z
  .object({
    id: z.string(),
    startedAtMs: z.number(),
    state: z.enum(['running', 'ended', 'failed']),
    result: commandResult.optional(),
    error: errorPartSchema.optional(),
  })
  .openapi('CommandOperation');

const operationParams = z.object({
  id: idSchema,
  command: z.uuid().openapi({ example: '9b2f7c52-6d43-4d0f-8e0c-0d0f5a9a3c11' }),
});
const waitQuery = z.object({
  waitMs: z.coerce.number().int().min(0).max(limits.commandWaitMs).default(0).openapi({
    description: 'How long to wait for its end before it is told as running.',
  }),
});
const preferHeader = z.object({
  prefer: z.string().max(1_024).optional().openapi({
    description:
      'RFC 7240: `respond-async` answers 202 at once, or after `wait=` so many seconds, with the `Location` to ask for the result. It is killed by `DELETE` there.',
    example: 'respond-async, wait=10',
  }),
});

/** What running a command answers. */
const commandAnswers = {
  200: {
    description:
      'How it ended; an exit code other than 0 is no error. Of one that takes longer than 15 seconds, the status comes then, line feeds before the JSON say that it still runs, and what fails later is `error` in the body.',
    content: {
      'application/json': { schema: commandResult },
      'text/event-stream': { schema: z.string() },
    },
  },
  202: {
    description: 'It runs on, as `Prefer: respond-async` asks; `Location` is where to ask for the result.',
    headers: { Location: { schema: { type: 'string' as const } } },
    content: { 'application/json': { schema: operationSchema } },
  },
  ...failed,
};

/** Running commands, as processes of their own and in shells. One whose client goes away is killed; its shell stays. */
export function commandRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/commands',
      operationId: 'runCommand',
      needs: 'processes.exec',
      summary: 'Runs a command to its end, or streams what it says.',
      tags: ['commands'],
      request: {
        params: z.object({ id: idSchema }),
        headers: preferHeader,
        body: {
          required: true,
          content: {
            'application/json': { schema: commandBody, example: { command: 'ls -l', cwd: '/tmp' } },
          },
        },
      },
      responses: commandAnswers,
    },
    (c) => answerCommand(c, service, { id: c.req.valid('param').id, body: c.req.valid('json') }),
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/shells/{shell}/runs',
      operationId: 'runInShell',
      needs: 'shells.run',
      summary: 'Runs a command in a shell to its end, after those before it, or streams what it says.',
      tags: ['shells'],
      request: {
        params: z.object({ id: idSchema, shell: shellIdSchema }),
        headers: preferHeader,
        body: {
          required: true,
          content: {
            'application/json': {
              schema: exactObject({ command: argument, ...commandOptions }),
              example: { command: 'cd /tmp && export DEBUG=1' },
            },
          },
        },
      },
      responses: commandAnswers,
    },
    (c) => {
      const { id, shell } = c.req.valid('param');
      const processes = ({ shells }: SandboxConnection) => shellProcesses(shell, shells);
      return answerCommand(c, service, { id, body: c.req.valid('json'), processes });
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/commands/{command}',
      operationId: 'getCommand',
      needs: 'processes.exec',
      summary: `How a command is that was run with \`Prefer: respond-async\`. Its result is kept for ${limits.commandResultMs / 60_000} minutes.`,
      tags: ['commands'],
      request: { params: operationParams, query: waitQuery },
      responses: {
        200: { description: 'How it is.', content: { 'application/json': { schema: operationSchema } } },
        ...failed,
      },
    },
    async (c) => {
      const { id: sandbox, command } = c.req.valid('param');
      const { waitMs } = c.req.valid('query');
      const ask = { sandbox, waitMs, signal: c.req.raw.signal };
      return c.json(describeOperation(await service.operations.get(command, ask)), 200);
    },
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}/commands/{command}',
      operationId: 'endCommand',
      needs: 'processes.exec',
      summary: 'Kills a command that was run with `Prefer: respond-async`.',
      tags: ['commands'],
      request: { params: operationParams },
      responses: { 204: { description: 'It has ended.' }, ...failed },
    },
    async (c) => {
      const { id: sandbox, command } = c.req.valid('param');
      await service.operations.end(command, { sandbox });
      return c.body(null, 204);
    },
  );
}

/** Runs the command, and answers with its result, with a stream, or with where its result will be. */
async function answerCommand(c: Context<BridgeEnv>, service: Service, ask: CommandAsk) {
  const { signal } = c.req.raw;
  const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'command stream failed');
  const streamed = { outgoing: c.env.outgoing, onError };
  if (ask.body.stream) {
    const stream = await streamCommand(service, { ...ask, signal });
    return c.body(streamBody(stream, streamed), 200, { 'content-type': 'text/event-stream' });
  }
  const preference = readPreference(c.req.header('prefer'));
  if (preference.isAsync) return answerLater(c, service, { ...ask, ...preference });
  const giveUp = new AbortController();
  using _unlisten = { [Symbol.dispose]: listenAbort(signal, () => giveUp.abort()) };
  const kept = ask.body.onDisconnect === 'keep' ? startOperation(c, service, ask) : undefined;
  const run = kept ? service.operations.result(kept) : runToEnd(service, { ...ask, signal: giveUp.signal });
  const soon = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => soon.resolve(undefined), service.commandBeatMs);
  const result = await Promise.race([run, soon.promise]).finally(() => clearTimeout(timer));
  if (result) {
    if (kept) service.operations.forget(kept);
    return c.json(result, 200);
  }
  // Who loses the connection finds the result there.
  if (kept) c.header('location', `/v1/sandboxes/${ask.id}/commands/${kept}`);
  const source = slowJson(run, { everyMs: service.commandBeatMs, onGone: () => giveUp.abort() });
  return c.body(streamBody(source, streamed), 200, { 'content-type': 'application/json' });
}

/** The status 202 at once, or the result within the time that the client waits. */
async function answerLater(
  c: Context<BridgeEnv>,
  service: Service,
  ask: CommandAsk & { readonly waitMs: number },
) {
  const { operations } = service;
  const { id: sandbox, waitMs } = ask;
  const id = startOperation(c, service, ask);
  const state = await operations.get(id, { sandbox, waitMs, signal: c.req.raw.signal });
  c.header('preference-applied', 'respond-async');
  if (state.error) throw state.error;
  if (state.result) return c.json(state.result, 200);
  c.header('location', `/v1/sandboxes/${sandbox}/commands/${id}`);
  return c.json(describeOperation(state), 202);
}

/** Begins a command that only its own end, its deadline, `DELETE` or the end of its token ends. @throws busy */
function startOperation(c: Context<BridgeEnv>, service: Service, ask: CommandAsk): string {
  const { owner } = c.var;
  const whileValid = (onEnd: () => void) => service.liveTokens.hold(owner, onEnd);
  const start = { sandbox: ask.id, account: owner.account, whileValid };
  return service.operations.start(start, (signal) => runToEnd(service, { ...ask, signal }));
}
