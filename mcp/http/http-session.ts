import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { mcpHttpLimits } from '../limits.ts';
import { McpSandboxes } from '../mcp-sandboxes.ts';
import { createMcpServer, tellListChanges } from '../mcp-server.ts';

/** Whose request it is: the token that it showed, and what that allows. */
export interface HttpCaller {
  /** The id of the token, not its text. Sessions belong to one. */
  readonly token: string;
  /** Has a share of the sessions. */
  readonly account: string;
  /** As the token allows it; stays its owner's. */
  readonly backend: SandboxBackend;
  readonly isReadOnly: boolean;
  /** What tools mean when they name no sandbox. */
  readonly defaultSandbox: string;
  /** Calls `onEnd` once when the token is no longer valid, at once when it is not now. Returns how to stop. */
  readonly whileValid: (onEnd: () => void) => () => void;
}

export interface HttpSessionOptions {
  readonly caller: HttpCaller;
  /** Of this program, for the client. */
  readonly version: string;
  /** Called with what is wrong with a request. */
  readonly onProblem: (message: string) => void;
}

/** What one client has over HTTP. Disposing of it ends its calls and commands, and closes its sandboxes, which stay. */
export interface HttpSession extends AsyncDisposable {
  /** Answers a request whose body is `message`, parsed. */
  answer(request: Request, message: unknown): Promise<Response>;
  /** Whether a command that it has started has not been closed. */
  hasCommands(): boolean;
}

/** Of a client of 2025, which opens it with `initialize` and then names it in each request as `id`. */
export async function openNamedSession(
  id: string,
  { caller, version, onProblem }: HttpSessionOptions,
): Promise<HttpSession> {
  await using stack = new AsyncDisposableStack();
  const sandboxes = stack.use(openSandboxes(caller));
  const server = createMcpServer(sandboxes, { version });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  transport.onerror = ({ message }) => onProblem(message);
  stack.defer(() => server.close());
  tellListChanges(server, sandboxes);
  await server.connect(transport);
  const owned = stack.move();
  return {
    answer: (request, message) => transport.handleRequest(request, given(message)),
    hasCommands: () => sandboxes.processes.count > 0,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Of the clients of 2026-07-28 that show one token: their requests name no session, and share this one. */
export function openTokenSession({ caller, version, onProblem }: HttpSessionOptions): HttpSession {
  const sandboxes = openSandboxes(caller);
  const handler = createMcpHandler(() => createMcpServer(sandboxes, { version }), {
    legacy: 'reject',
    maxSubscriptions: mcpHttpLimits.subscriptions,
    onerror: ({ message }) => onProblem(message),
  });
  sandboxes.onListChange(() => handler.notify.resourcesChanged());
  return {
    answer: (request, message) => handler.fetch(request, given(message)),
    hasCommands: () => sandboxes.processes.count > 0,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await sandboxes[Symbol.asyncDispose]();
    },
  };
}

/** What clients make is their account's, and stays. */
function openSandboxes({ backend, defaultSandbox, isReadOnly }: HttpCaller): McpSandboxes {
  const idleMs = mcpHttpLimits.idleSandboxMs;
  return new McpSandboxes({ backend, defaultSandbox, isReadOnly, keepsMade: true, idleMs });
}

function given(message: unknown): { readonly parsedBody?: unknown } {
  return message === undefined ? {} : { parsedBody: message };
}
