import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { Shares } from '../../../protocol/shares.ts';
import { restrictBackend } from '../../access/restrict-backend.ts';
import { SharedBackend } from '../../shared-backend.ts';
import type { McpService } from '../bridge-options.ts';
import { holdAnswer } from '../hold-answer.ts';
import { loggedError } from '../log.ts';
import { clientErrors } from '../mount.ts';
import { readBody } from '../read-body.ts';
import { failed } from '../schemas.ts';
import type { BridgeApp, BridgeEnv, Service } from '../service.ts';
import { streamBody } from '../stream-body.ts';

const session = z.object({
  'mcp-session-id': z.string().optional().openapi({ description: 'That an earlier request has begun.' }),
});
const query = z.object({
  sandbox: z.string().optional().openapi({
    description: 'Name or id of the sandbox that tools mean when they name none; `default` if left out.',
  }),
});
const message = z.object({ jsonrpc: z.literal('2.0') }).loose();
const stream = { 'text/event-stream': { schema: z.string() } };
const answers = { 'application/json': { schema: message }, ...stream };

/** The document's part of each method. */
const routes = [
  {
    method: 'post',
    operationId: 'mcpSend',
    summary: 'A message of the Model Context Protocol, over its streamable HTTP.',
    request: {
      query,
      headers: session,
      body: { content: { 'application/json': { schema: message } }, required: true },
    },
    responses: { 200: { description: 'Its answer.', content: answers }, 202: { description: 'Taken.' } },
  },
  {
    method: 'get',
    operationId: 'mcpListen',
    summary: 'What a session tells unasked: that the list of resources has changed.',
    request: { headers: session },
    responses: { 200: { description: 'Messages, as they come.', content: stream } },
  },
  {
    method: 'delete',
    operationId: 'mcpEnd',
    summary: 'Ends a session, with the commands that it has started.',
    request: { headers: session },
    responses: { 200: { description: 'It has ended.' } },
  },
] as const;

/** Sandboxes as tools of the Model Context Protocol, where the bridge was given what speaks it. */
export function mcpRoutes(app: BridgeApp, service: Service): void {
  const { mcp } = service;
  if (!mcp) return;
  const shares = new Shares({
    most: limits.mcpRequests,
    mostOfAccount: limits.mcpRequestsOfAccount,
    name: 'MCP requests under way',
  });
  for (const { method, responses, ...about } of routes) {
    const documented = { path: '/mcp', tags: ['mcp'], security: [{ bearer: [] }] };
    app.openAPIRegistry.registerPath({
      method,
      ...documented,
      ...about,
      responses: { ...clientErrors({ method, ...documented, ...about }), ...responses, ...failed },
    });
    app.on(method.toUpperCase(), '/mcp', async (c) => {
      const { outgoing } = c.env;
      const { account } = c.var.owner;
      outgoing.once('close', shares.take(account, 'Cannot answer the request'));
      // While answers that are not read fill the memory, none is begun.
      const least = service.mcpAnswers.reserve(account);
      least.resize(limits.mcpAnswerLeastBytes);
      outgoing.once('close', () => least[Symbol.dispose]());
      return holdToReader(await answer(c, { service, mcp }), { c, service });
    });
  }
}

async function answer(
  c: Context<BridgeEnv>,
  { service, mcp }: { readonly service: Service; readonly mcp: McpService },
): Promise<Response> {
  const { owner } = c.var;
  const { sandboxes, liveTokens } = service;
  return mcp.answer({
    request: c.req.raw,
    message: c.req.method === 'POST' ? await readMessage(c, { service, mcp }) : undefined,
    owner,
    backend: restrictBackend(
      new SharedBackend(service.backend, { sandboxes, account: owner.account }),
      owner,
    ),
    whileValid: (onEnd) => liveTokens.hold(owner, onEnd),
  });
}

/**
 * The same answer, whose maker does not wait for the client: what has not been read counts to the account, and an answer that
 * has no room, or of which nothing was read for `limits.httpStalledReaderMs`, breaks the connection.
 */
function holdToReader(
  answer: Response,
  { c, service }: { readonly c: Context<BridgeEnv>; readonly service: Service },
): Response {
  const { body, status, headers } = answer;
  if (!body) return answer;
  const { outgoing } = c.env;
  const held = holdAnswer(body, service.mcpAnswers.reserve(c.var.owner.account));
  const close = (): void => void Promise.resolve(held.close()).catch(() => undefined);
  // The body of an answer to a HEAD, or to a client that is gone, is neither read nor cancelled.
  if (outgoing.destroyed) close();
  else outgoing.once('close', close);
  const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'answer of MCP broke off');
  return new Response(streamBody(held, { outgoing, onError }), { status, headers });
}

/** @throws invalid-argument, limit-exceeded, busy, aborted */
async function readMessage(
  c: Context<BridgeEnv>,
  { service, mcp }: { readonly service: Service; readonly mcp: McpService },
): Promise<unknown> {
  const { incoming } = c.env;
  const refuse = (why: string) => new SandboxError('invalid-argument', `Cannot read the body: ${why}`);
  // No form and no script without leave sends this type.
  if (!/^application\/json(;|$)/i.test(incoming.headers['content-type'] ?? '')) {
    throw refuse('its Content-Type is not application/json');
  }
  using reservation = service.uploads.reserve(c.var.owner.account);
  const bytes = await readBody(incoming, { reservation, mostBytes: mcp.messageBytes });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw refuse('it is not JSON');
  }
}
