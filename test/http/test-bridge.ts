import type { WebSocket } from 'ws';
import { type Bridge, startBridge } from '../../bridge-server/http/bridge.ts';
import type { BridgeOptions, Grant } from '../../bridge-server/http/bridge-options.ts';
import { ScriptedBackend } from './scripted-backend.ts';

/** Tokens of the test bridge: of everything, of `box-1`, of `box-2`. */
export const testTokens = { all: 'token-of-all', one: 'token-of-one', two: 'token-of-two' };

const grants = new Map<string, Grant>([
  [testTokens.all, { scope: 'all' }],
  [testTokens.one, { scope: { sandbox: 'box-1' } }],
  [testTokens.two, { scope: { sandbox: 'box-2' } }],
]);

const plenty = { perSecond: 1_000_000, burst: 1_000_000 };

export interface TestBridge extends AsyncDisposable {
  readonly bridge: Bridge;
  readonly backend: ScriptedBackend;
  /** Every line of its log, parsed. */
  readonly log: Record<string, unknown>[];
  readonly sockets: { socket: WebSocket; grant: Grant }[];
  /** A request with the token of everything, unless told otherwise. */
  request(path: string, init?: RequestInit & { token?: string | null; json?: unknown }): Promise<Response>;
}

/** A bridge on a free port of the loopback, with two closed sandboxes: `box-1` and `box-2`. */
export async function openTestBridge(options: Partial<BridgeOptions> = {}): Promise<TestBridge> {
  const backend = new ScriptedBackend();
  backend.add('first');
  backend.add('second');
  const log: Record<string, unknown>[] = [];
  const sockets: TestBridge['sockets'] = [];
  const bridge = await startBridge({
    backend,
    tokens: {
      check: (token) => {
        const grant = grants.get(token);
        return grant && { ...grant, name: token };
      },
    },
    host: '127.0.0.1',
    port: 0,
    allowedOrigins: ['https://pages.example'],
    allowedHosts: ['bridge.example', 'only.example:8443'],
    doctor: async () => [{ name: 'overlay', state: 'ok', why: '' }],
    onSocket: (socket, grant) => sockets.push({ socket, grant }),
    rates: { address: plenty, token: plenty, refused: plenty },
    log: { write: (line) => void log.push(JSON.parse(line)) },
    ...options,
  });
  return {
    bridge,
    backend,
    log,
    sockets,
    request: (path, { token = testTokens.all, json, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (token !== null) headers.set('authorization', `Bearer ${token}`);
      if (json !== undefined) headers.set('content-type', 'application/json');
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      return fetch(bridge.url + path, { ...init, ...body, headers });
    },
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  };
}
