import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server, so that it can stop at once where nothing is under way. Node's own
 * `closeIdleConnections` takes one that has not sent a request yet for busy.
 */
export class Connections {
  readonly #server: Server;
  /** With the requests that each is answering. */
  readonly #open = new Map<Socket, number>();
  #isStopping = false;

  constructor(server: Server) {
    this.#server = server;
    // With TLS, the socket that requests know is told of when the handshake is over.
    const opened = 'setSecureContext' in server ? 'secureConnection' : 'connection';
    server.on(opened, (socket: Socket) => {
      this.#open.set(socket, 0);
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
    // Whoever answers the upgrade owns the socket from then on.
    server.on('upgrade', ({ socket }) => this.#open.delete(socket));
  }

  /** Accepts no more and ends the idle ones. Resolves when the last answer has gone and all are closed. */
  async close(): Promise<void> {
    this.#isStopping = true;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const [socket, requests] of this.#open) if (requests === 0) socket.destroy();
    await closed;
  }

  /** Ends every connection at once. */
  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #count(socket: Socket, more: 1 | -1): void {
    const requests = this.#open.get(socket);
    if (requests === undefined) return;
    this.#open.set(socket, requests + more);
    // Its last bytes may still be on their way: `destroySoon` sends them.
    if (this.#isStopping && requests + more === 0) socket.destroySoon();
  }
}
