import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { OutputBuffer } from '../../../protocol/output-buffer.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import {
  type CommandLimits,
  type ExecRequest,
  type ExitStatus,
  exitReasons,
  type ProcessesFacet,
} from '../../../protocol/sandbox/processes.ts';
import { shellProcesses } from '../../../protocol/shell-processes.ts';
import { errorBody, errorPartSchema } from '../error-body.ts';
import { exactObject } from '../exact-object.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { outputDecoder } from '../output-decoder.ts';
import { type CommandRun, runCommand } from '../run-command.ts';
import { envsSchema, failed, idSchema, pathSchema, shellIdSchema } from '../schemas.ts';
import type { BridgeEnv, Service } from '../service.ts';
import { SseStream } from '../sse-stream.ts';
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

type CommandBody = Pick<z.infer<typeof commandBody>, 'command' | keyof typeof commandOptions> &
  Partial<z.infer<typeof commandBody>>;

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

type CommandResult = z.infer<typeof commandResult>;

/** What running a command answers. */
const commandAnswers = {
  200: {
    description: 'How it ended; an exit code other than 0 is no error.',
    content: {
      'application/json': { schema: commandResult },
      'text/event-stream': { schema: z.string() },
    },
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
}

interface CommandAsk {
  readonly id: string;
  readonly body: CommandBody;
  /** Where it runs: a process of its own where this is absent. */
  readonly processes?: (connection: SandboxConnection) => ProcessesFacet;
}

interface Target extends CommandAsk {
  readonly signal: AbortSignal;
}

/** Runs the command, and answers with its result or with a stream. */
async function answerCommand(c: Context<BridgeEnv>, service: Service, ask: CommandAsk) {
  const target = { ...ask, signal: c.req.raw.signal };
  if (!ask.body.stream) return c.json(await runToEnd(service, target), 200);
  const stream = await streamCommand(service, target);
  const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'command stream failed');
  return c.body(streamBody(stream, { outgoing: c.env.outgoing, onError }), 200, {
    'content-type': 'text/event-stream',
  });
}

async function runToEnd(service: Service, { id, signal, body, processes }: Target): Promise<CommandResult> {
  using lease = await service.sandboxes.borrow(id, { signal });
  using _running = counted(service);
  const output = { stdout: new OutputBuffer(), stderr: new OutputBuffer() };
  const status = await runSettled(lease.connection, processes, {
    ...runOptions(body),
    signal,
    onOutput: (stream, bytes) => {
      service.metrics.moved('out', { type: 'command', bytes: bytes.length });
      output[stream].push(bytes);
    },
  });
  return {
    ...describeEnd(status),
    stdout: Buffer.from(output.stdout.bytes().buffer).toString(body.encoding),
    stderr: Buffer.from(output.stderr.bytes().buffer).toString(body.encoding),
    droppedBytes: output.stdout.droppedBytes + output.stderr.droppedBytes,
  };
}

/** Resolves once the sandbox is there, so that its absence still has a status of its own. */
async function streamCommand(service: Service, { id, signal, body, processes }: Target): Promise<SseStream> {
  const lease = await service.sandboxes.borrow(id, { signal });
  const giveUp = new AbortController();
  const stream = new SseStream(() => giveUp.abort());
  const decoders = { stdout: outputDecoder(body.encoding), stderr: outputDecoder(body.encoding) };
  const tell = (event: string, data: unknown) => stream.send({ event, data });
  const follow = async () => {
    using _lease = lease;
    using _running = counted(service);
    try {
      const status = await runSettled(lease.connection, processes, {
        ...runOptions(body),
        signal: giveUp.signal,
        onStart: (pid) => void tell('start', { pid }).catch(() => {}),
        onOutput: (name, bytes) => {
          service.metrics.moved('out', { type: 'command', bytes: bytes.length });
          const text = decoders[name](bytes);
          return text === '' ? undefined : tell(name, { text });
        },
      });
      for (const name of ['stdout', 'stderr'] as const) {
        const text = decoders[name]();
        if (text !== '') await tell(name, { text });
      }
      await tell('exit', describeEnd(status));
    } catch (error) {
      await tell('error', errorBody(SandboxError.from(error)));
    } finally {
      stream.end();
    }
  };
  follow().catch(() => {}); // The client is gone, so nobody is left to be told.
  return stream;
}

/** Runs it to its end: HEAD, when it is asked for next, has what it has changed. */
async function runSettled(
  connection: SandboxConnection,
  processes: CommandAsk['processes'],
  run: CommandRun,
): Promise<ExitStatus> {
  const status = await runCommand(processes?.(connection) ?? connection.processes, run);
  await connection.history.settle();
  return status;
}

function runOptions(body: CommandBody): {
  request: ExecRequest;
  stdin: Uint8Array | undefined;
  timeoutMs: number;
} {
  const { command, cwd, envs, user, limits, stdin, timeoutMs } = body;
  const request = {
    command,
    ...(cwd === undefined ? {} : { cwd }),
    ...(envs === undefined ? {} : { envs }),
    ...(user === undefined ? {} : { user }),
    ...(limits === undefined ? {} : { limits: definedOf(limits) }),
  };
  return { request, stdin: stdin === undefined ? undefined : Buffer.from(stdin), timeoutMs };
}

function definedOf(given: NonNullable<CommandBody['limits']>): CommandLimits {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function describeEnd({
  files,
  unsaved,
  missing,
  ...status
}: ExitStatus): Omit<CommandResult, 'stdout' | 'stderr' | 'droppedBytes'> {
  const { created, modified, deleted } = files;
  return {
    ...status,
    ...(missing ? { missing: [...missing] } : {}),
    files: { created: [...created], modified: [...modified], deleted: [...deleted] },
    ...(unsaved ? { unsaved: errorBody(SandboxError.from(unsaved)).error } : {}),
  };
}

function counted({ metrics }: Service): Disposable {
  return { [Symbol.dispose]: metrics.commandStarted() };
}
