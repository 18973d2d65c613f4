import type { WebSocket } from 'ws';
import { type Bridge, startBridge } from '../../bridge-server/http/bridge.ts';
import type { BridgeOptions } from '../../bridge-server/http/bridge-options.ts';
import type { TokenOwner, TokenRecords } from '../../bridge-server/token-contract.ts';
import { ScriptedBackend } from './scripted-backend.ts';
import { openTestTokens, testTokens } from './test-tokens.ts';

export { testTokens } from './test-tokens.ts';

const plenty = { perSecond: 1_000_000, burst: 1_000_000 };

export interface TestBridge extends AsyncDisposable {
  readonly bridge: Bridge;
  readonly backend: ScriptedBackend;
  /** Every line of its log, parsed. */
  readonly log: Record<string, unknown>[];
  readonly tokens: TokenRecords;
  readonly sockets: { socket: WebSocket; owner: TokenOwner }[];
  /** A request with the token of everything, unless told otherwise. */
  request(path: string, init?: RequestInit & { token?: string | null; json?: unknown }): Promise<Response>;
}

/** A bridge on a free port of the loopback, with two closed sandboxes: `box-1` and `box-2`. */
export async function openTestBridge(options: Partial<BridgeOptions> = {}): Promise<TestBridge> {
  const backend = new ScriptedBackend();
  const tokens = await openTestTokens([backend.add('first'), backend.add('second')]);
  const log: Record<string, unknown>[] = [];
  const sockets: TestBridge['sockets'] = [];
  const bridge = await startBridge({
    backend,
    tokens,
    host: '127.0.0.1',
    port: 0,
    allowedOrigins: ['https://pages.example'],
    allowedHosts: ['bridge.example', 'only.example:8443'],
    doctor: async () => [{ name: 'overlay', state: 'ok', why: '' }],
    onSocket: (socket, owner) => sockets.push({ socket, owner }),
    rates: { address: plenty, token: plenty, refused: plenty },
    log: { write: (line) => void log.push(JSON.parse(line)) },
    ...options,
  });
  return {
    bridge,
    backend,
    log,
    tokens,
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
