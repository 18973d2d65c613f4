import type { Server, Socket } from 'node:net';
import { limits } from '../../protocol/limits.ts';
import { Shares } from '../../protocol/shares.ts';
import { rateKey } from './request-rate.ts';

export interface ConnectionBudgetRules {
  /** Connections of one address (of IPv6, one /64) that have not shown a valid token. */
  readonly mostOfAddress: number;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Counts it out of its account's; there once it has shown a valid token. */
  release?: () => void;
}

/**
 * Bounds the connections of a server, so that nobody keeps others from connecting. Those that have shown a valid token
 * count to its account. Of the others there may be so many of an address, and so many of all: past that the oldest one
 * closes, of the address that has the most. So who connects next is always heard, and has a while to show a token.
 */
export class ConnectionBudget {
  readonly #mostOfAddress: number;
  /** By both ends: with TLS, a request knows another socket of the same connection. */
  readonly #open = new Map<string, Connection>();
  /** Without a token yet, by address, oldest first. */
  readonly #unauthenticated = new Map<string, Set<Connection>>();
  #unauthenticatedCount = 0;
  readonly #authenticated = new Shares({
    most: limits.httpConnections,
    mostOfAccount: limits.httpConnectionsOfAccount,
    name: 'connections',
  });

  constructor(server: Server, { mostOfAddress }: ConnectionBudgetRules) {
    this.#mostOfAddress = mostOfAddress;
    server.on('connection', (socket: Socket) => this.#accept(socket));
  }

  /** The connection of a request that has shown a valid token counts to `account` from now on. @throws busy */
  authenticate(socket: Socket, account: string): void {
    const connection = this.#open.get(endsOf(socket));
    if (!connection || connection.release) return;
    connection.release = this.#authenticated.take(account, 'Cannot answer this request');
    this.#forget(connection);
  }

  #accept(socket: Socket): void {
    const ends = endsOf(socket);
    const connection: Connection = { socket, address: rateKey(socket.remoteAddress) };
    this.#open.set(ends, connection);
    socket.once('close', () => {
      if (this.#open.get(ends) === connection) this.#open.delete(ends);
      this.#forget(connection);
      connection.release?.();
    });
    const ofAddress = this.#unauthenticated.get(connection.address) ?? new Set();
    this.#unauthenticated.set(connection.address, ofAddress.add(connection));
    this.#unauthenticatedCount++;
    if (ofAddress.size > this.#mostOfAddress) this.#closeOldest(ofAddress);
    if (this.#unauthenticatedCount > limits.httpUnauthenticatedConnections)
      this.#closeOldest(this.#largest());
  }

  #closeOldest(connections: Iterable<Connection>): void {
    const [oldest] = connections;
    if (!oldest) return;
    // Its `close` comes later, and others may be accepted before it.
    this.#forget(oldest);
    oldest.socket.destroy();
  }

  #largest(): Iterable<Connection> {
    let largest = new Set<Connection>();
    for (const each of this.#unauthenticated.values()) if (each.size > largest.size) largest = each;
    return largest;
  }

  /** Counts one out of those without a token, if it is among them. */
  #forget(connection: Connection): void {
    const ofAddress = this.#unauthenticated.get(connection.address);
    if (!ofAddress?.delete(connection)) return;
    this.#unauthenticatedCount--;
    if (ofAddress.size === 0) this.#unauthenticated.delete(connection.address);
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
