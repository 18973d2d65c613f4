import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { Shares } from '../../protocol/shares.ts';
import { offeredProtocols, socketProtocol } from './presented-token.ts';

export interface SocketsOptions {
  /** Told what a client did that a WebSocket must not. */
  readonly onError: (error: Error) => void;
  /** `limits.heartbeatMs` by default. */
  readonly heartbeatMs?: number;
}

/**
 * Every WebSocket of a bridge, within bounds that hold whatever is spoken on them: their number, the
 * size and the fragments of a message, pings, and a heartbeat that finds who is gone. Nothing is
 * compressed: a small message could become a large one.
 */
export class Sockets {
  readonly #server: WebSocketServer;
  readonly #options: SocketsOptions;
  readonly #shares = new Shares({
    most: limits.sockets,
    mostOfAccount: limits.socketsOfToken,
    name: 'sockets',
  });

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: limits.socketMessageBytes,
      maxFragments: limits.socketFragments,
      maxBufferedChunks: limits.socketFragments,
      handleProtocols: (offered) => offered.has(socketProtocol) && socketProtocol,
    });
  }

  /**
   * Counts a socket in, before anything is waited for. Returns how to count it out.
   * @throws busy; protocol-violation when the client speaks none of our subprotocols
   */
  admit({ headers }: IncomingMessage, account: string): () => void {
    const offered = offeredProtocols(headers);
    if (offered.length > 0 && !offered.includes(socketProtocol)) {
      const message = `Cannot open the socket: it does not offer ${socketProtocol}`;
      throw new SandboxError('protocol-violation', message);
    }
    return this.#shares.take(account, 'Cannot open the socket');
  }

  /** Answers 101, or 400 to what is no proper upgrade. `onOpen` owns the socket. */
  accept(
    upgrade: { request: IncomingMessage; socket: Duplex; head: Buffer },
    onOpen: (socket: WebSocket) => void,
  ): void {
    this.#server.handleUpgrade(upgrade.request, upgrade.socket, upgrade.head, (socket) => {
      socket.on('error', this.#options.onError);
      guard(socket, this.#options.heartbeatMs ?? limits.heartbeatMs);
      onOpen(socket);
    });
  }

  /** Asks every client to go, and ends those that do not in time. Resolves when all are gone. */
  async close(): Promise<void> {
    const gone = [...this.#server.clients].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    // 1001: "going away". ws itself ends a socket whose client does not answer.
    for (const socket of this.#server.clients) socket.close(1001, 'The bridge is stopping');
    await Promise.all(gone);
  }

  /** Ends every socket at once. */
  terminate(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }
}

/** Ends a socket whose client does not answer pings, or floods us with its own. */
function guard(socket: WebSocket, heartbeatMs: number): void {
  let isAlive = true;
  let pings = 0;
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    pings = 0;
    socket.ping();
  }, heartbeatMs).unref();
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('ping', () => {
    pings++;
    if (pings > limits.socketPings) socket.terminate();
  });
  socket.on('close', () => clearInterval(timer));
}
