import type { McpRequest, McpService } from '../../bridge-server/http/bridge-options.ts';
import type { HttpCaller } from '../../mcp/http/http-session.ts';
import type { HttpSessions, HttpSessionsOptions } from '../../mcp/http/http-sessions.ts';
import { mcpLimits } from '../../mcp/limits.ts';

/** What answers `/mcp` of a bridge: the tools of `coppice mcp`, for clients that show a token. */
export function serveMcp(options: HttpSessionsOptions): McpService {
  let sessions: Promise<HttpSessions> | undefined;
  const open = async (): Promise<HttpSessions> => {
    // A bridge without clients of MCP does not load the 60 MB of the protocol's SDK.
    const module = await import('../../mcp/http/http-sessions.ts');
    return new module.HttpSessions(options);
  };
  return {
    messageBytes: mcpLimits.messageBytes,
    answer: async (asked) => {
      sessions ??= open();
      return (await sessions).answer(asked.request, asked.message, callerOf(asked));
    },
    [Symbol.asyncDispose]: async () => (await sessions)?.[Symbol.asyncDispose](),
  };
}

function callerOf({ request, owner, backend, whileValid }: McpRequest): HttpCaller {
  const { id, account, access, scope } = owner;
  const [only, ...others] = scope === 'all' ? [] : scope.sandboxes;
  return {
    token: id,
    account,
    backend,
    isReadOnly: access !== 'write',
    // A token for one sandbox means that one.
    defaultSandbox:
      new URL(request.url).searchParams.get('sandbox') ??
      (others.length === 0 ? only : undefined) ??
      'default',
    whileValid,
  };
}
