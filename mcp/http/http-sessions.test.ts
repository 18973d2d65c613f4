import { expect, test, vi } from 'vitest';
import { shellBackend } from '../../cli/shell-backend.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { type HttpCaller, openNamedSession, openTokenSession } from './http-session.ts';
import { HttpSessions } from './http-sessions.ts';

vi.mock('./http-session.ts', async (original) => {
  const module = await original<typeof import('./http-session.ts')>();
  const spies = { openNamedSession: vi.fn(), openTokenSession: vi.fn() };
  spies.openNamedSession.mockImplementation(module.openNamedSession);
  spies.openTokenSession.mockImplementation(module.openTokenSession);
  return { ...module, ...spies };
});

async function openSessions() {
  const sessions = new HttpSessions({ version: '1', onProblem: () => undefined, sessionsOfAccount: 1 });
  const caller: HttpCaller = {
    token: 'token',
    account: 'account',
    backend: await shellBackend(),
    isReadOnly: false,
    defaultSandbox: 'default',
    whileValid: () => () => undefined,
  };
  return { sessions, caller };
}

const clientInfo = { name: 'test', version: '1' };

function ask(
  sessions: HttpSessions,
  message: { readonly method: string; readonly params: object },
  caller: HttpCaller,
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...('_meta' in message.params
      ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method }
      : {}),
  };
  const body = JSON.stringify(message);
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
  return sessions.answer(request, message, caller);
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
};
const list = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

test.each([
  ['named', initialize, openNamedSession],
  ['token', list, openTokenSession],
])('H-8 a %s session that cannot be opened keeps no place', async (_, message, open) => {
  const { sessions, caller } = await openSessions();
  await using _sessions = sessions;
  const rejected = () => Promise.reject(new SandboxError('storage-full', 'full'));
  vi.mocked(open).mockImplementationOnce(rejected as never);
  await expect(ask(sessions, message, caller)).rejects.toThrow('full');
  const answer = await ask(sessions, message, caller);
  expect(answer.status).toBe(200);
  await answer.text();
  expect(sessions.count).toBe(1);
});

test('H-8 a session whose token has just ended is not watched any more', async () => {
  const { sessions, caller } = await openSessions();
  await using _sessions = sessions;
  const stop = vi.fn();
  const whileValid = (onEnd: () => void) => {
    onEnd();
    return stop;
  };
  await ask(sessions, initialize, { ...caller, whileValid }).catch(() => undefined);
  expect([stop.mock.calls.length, sessions.count]).toEqual([1, 0]);
});
