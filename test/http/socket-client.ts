import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A WebSocket client that keeps what it receives: text parsed, binary as text. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly #received: unknown[] = [];
  #came = Promise.withResolvers<void>();
  readonly closed: Promise<number>;

  constructor(url: string, options: { protocols?: string[]; headers?: Record<string, string> } = {}) {
    const { protocols = [], headers = {} } = options;
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { headers, perMessageDeflate: false });
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('error', () => {});
    this.socket.on('message', (data, isBinary) => {
      this.#received.push(isBinary ? String(data) : JSON.parse(String(data)));
      this.#came.resolve();
    });
  }

  async open(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  /** The next message. */
  async next(): Promise<unknown> {
    while (this.#received.length === 0) {
      await this.#came.promise;
      this.#came = Promise.withResolvers<void>();
    }
    return this.#received.shift();
  }
}

/** The status with which an upgrade is refused, or 101. */
export async function upgradeStatus(
  url: string,
  options: { protocols?: string[]; headers?: Record<string, string> } = {},
): Promise<number> {
  const { socket } = new SocketClient(url, options);
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}
