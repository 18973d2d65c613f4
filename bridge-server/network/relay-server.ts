import { chmod, mkdir, open, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { limits } from '../../protocol/limits.ts';
import { diskError } from '../stores/disk-error.ts';
import { parseRelayHeader, type RelayHeader, relayHeaderBytes } from './relay-header.ts';

/** Takes over a connection: nothing else closes it but the end of the server. */
export type OnRelayed = (socket: Socket, header: RelayHeader) => void;

/** The name of its socket, as in guest/launch/relay-connect.h. */
const socketName = 'relay';

/**
 * Where the relays of all jails come (guest/launch/relay.h): a unix socket in a folder that only this user enters.
 * Owns its connections.
 */
export class RelayServer implements AsyncDisposable {
  readonly folder: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #close: () => Promise<void>;

  private constructor(folder: string, options: { onRelayed: OnRelayed; close: () => Promise<void> }) {
    this.folder = folder;
    this.#close = options.close;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      // What goes wrong is told by its end.
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
      void readHeader(socket).then((header) => {
        if (header) options.onRelayed(socket, header);
        else socket.destroy();
      });
    });
    this.#server.maxConnections = 2 * limits.networkFlowsOfHost;
  }

  /** Makes `folder`, and takes the place of a server there that is gone. @throws storage-full, read-only, internal */
  static async open(folder: string, onRelayed: OnRelayed): Promise<RelayServer> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
      await rm(join(folder, socketName), { force: true });
      // By a descriptor, as a path has room for 107 bytes (unix(7)); open until the socket is removed by that path.
      const handle = await open(folder, 'r');
      const server = new RelayServer(folder, { onRelayed, close: () => handle.close() });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // Also of one that cannot be accepted later, as where descriptors are short: that ends nothing but itself.
      server.#server.on('error', reject);
      server.#server.listen(`/proc/self/fd/${handle.fd}/${socketName}`, resolve);
      await promise.catch(async (error) => {
        await handle.close();
        throw error;
      });
      return server;
    } catch (cause) {
      throw diskError('listen to the networks of sandboxes', cause);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await this.#close();
  }
}

/** Resolves to `undefined` where none comes in time. What comes after it stays in the socket. */
function readHeader(socket: Socket): Promise<RelayHeader | undefined> {
  return new Promise((resolve) => {
    const end = (header?: RelayHeader): void => {
      clearTimeout(timer);
      socket.off('readable', look).off('close', end);
      resolve(header);
    };
    const look = (): void => {
      const bytes: Buffer | null = socket.read(relayHeaderBytes);
      if (bytes) end(parseRelayHeader(bytes));
      else if (socket.readableEnded) end();
    };
    const timer = setTimeout(end, limits.networkHeaderTimeoutMs);
    socket.on('readable', look).once('close', () => end());
  });
}
