import { SandboxError } from '../protocol/errors.ts';
import type { SandboxBackend } from '../protocol/sandbox/backend.ts';
import type { AccessSource } from '../protocol/wire/client/access-keeper.ts';
import { type SocketLike, socketTransport } from '../protocol/wire/transports/socket-transport.ts';
import type { Transport } from '../protocol/wire/transports/transport.ts';
import { BridgeTokens } from './bridge-tokens.ts';
import { TokenSource, type TokenSupplier } from './token-source.ts';

/** Where a bridge is, and what it lets in. */
export interface BridgeAddress {
  /** `http:`, `https:`, `ws:` or `wss:`; the path that the bridge is served under, if it has one. */
  readonly url: string;
  /**
   * A token, or what gives one out: then the connection goes on, with all that is open through it, when one ends.
   * The next is to be of the same account, or made with the same token, and to allow no less.
   */
  readonly token: string | TokenSupplier;
  /** Aborting gives up the connecting; once connected, it changes nothing. */
  readonly signal?: AbortSignal;
}

/** The sandboxes of a bridge, and the tokens that open them. */
export interface BridgeConnection extends SandboxBackend, AsyncDisposable {
  readonly tokens: BridgeTokens;
}

/** The parts of the platform that are used here: browsers and Node have them alike. */
interface Platform {
  readonly WebSocket: new (url: string, protocols: string[]) => SocketLike;
  readonly URL: new (url: string) => PlatformUrl;
}

interface PlatformUrl {
  protocol: string;
  search: string;
  hash: string;
  username: string;
  password: string;
  readonly href: string;
}

const wireSubprotocol = 'coppice.v1';
const tokenSubprotocol = 'coppice.token.';
const socketSchemes: Readonly<Record<string, string>> = {
  'http:': 'ws:',
  'https:': 'wss:',
  'ws:': 'ws:',
  'wss:': 'wss:',
};

/**
 * Connects to a bridge: `Sandbox.create({ backend: await connect({ url, token }) })`. A connection that
 * is lost comes back by itself, with nothing lost, as long as the bridge keeps the session. Whoever
 * connects disposes of it (`await using` does); that lets go of everything that was opened through it.
 * When the token expires and there is no other, or it is revoked, everything rejects with `unauthenticated`; one that
 * may renew itself is renewed.
 * @throws invalid-argument, connection-lost (no bridge there), unauthenticated (in a page; elsewhere a refused
 * token is connection-lost too), version-mismatch, timeout, aborted
 */
export async function connect({ url, token, signal }: BridgeAddress): Promise<BridgeConnection> {
  const address = bridgeAddress(url);
  const source = new TokenSource(token);
  const tokens = new BridgeTokens({ url: address.http, source });
  const access: AccessSource | undefined = source.hasOthers
    ? { next: async () => void (await source.next()) }
    : undefined;
  // Loaded by those who connect: a shell in the process has no use for the wire.
  const { openWire } = await import('../protocol/wire/client/open-wire.ts');
  const { close, ...backend } = await openWire(
    async () => {
      const protocols = [wireSubprotocol, tokenSubprotocol + (await source.current())];
      return openSocket(`${address.socket}/v1/connect`, protocols);
    },
    signal ? { access, signal } : { access },
  );
  return { ...backend, tokens, [Symbol.asyncDispose]: close };
}

/** A bridge without a slash at its end; nothing of a user, a query or a fragment is sent there. */
function bridgeAddress(url: string): { readonly http: string; readonly socket: string } {
  const { URL } = globalThis as unknown as Platform;
  const address = parseUrl(url, URL);
  const scheme = address && socketSchemes[address.protocol];
  if (!scheme) {
    throw new SandboxError(
      'invalid-argument',
      `Cannot connect to the bridge: ${JSON.stringify(url)} is no URL of one`,
    );
  }
  address.protocol = scheme;
  for (const part of ['search', 'hash', 'username', 'password'] as const) address[part] = '';
  const socket = address.href.replace(/\/+$/, '');
  return { socket, http: socket.replace(/^ws/, 'http') };
}

function parseUrl(url: string, Url: Platform['URL']): PlatformUrl | undefined {
  try {
    return new Url(url);
  } catch {
    return undefined;
  }
}

/** A transport over an open socket. A browser does not tell why one did not open. */
async function openSocket(address: string, protocols: string[]): Promise<Transport> {
  const { WebSocket } = globalThis as unknown as Platform;
  const socket: SocketLike & OpenEvent = new WebSocket(address, protocols) as SocketLike & OpenEvent;
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => {
    const why = 'it is not there, does not take the token, or does not know the page (--allow-origin)';
    const message = `Cannot connect to the bridge at ${address}: ${why}`;
    opened.reject(new SandboxError('connection-lost', message, { details: { url: address } }));
  });
  await opened.promise;
  return socketTransport(socket);
}

interface OpenEvent {
  addEventListener(type: 'open', listener: () => void): void;
}
