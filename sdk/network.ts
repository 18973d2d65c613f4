import type { NetworkLog } from '../protocol/network-log.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { ByteStream } from '../protocol/sandbox/network.ts';

const encoder = new TextEncoder();

/** What a sandbox does in the network, and its ports: `sandbox.network`. */
export class Network {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  /**
   * What it did in the network, denied connections included; nothing of one that is `isolated`. What is said
   * there of names was said by the sandbox.
   */
  log(): Promise<NetworkLog> {
    return this.#connection.network.log();
  }

  /**
   * Connects to a TCP port that a program in it listens on, whatever network the sandbox has.
   * @throws not-found when nothing listens there, timeout, busy, unsupported
   */
  async connect(port: number): Promise<PortConnection> {
    return new PortConnection(await this.#connection.network.connect({ port }));
  }
}

/**
 * A connection to a port of a sandbox: `for await` the bytes that come, until the program ends its direction. Whoever
 * made it closes it (`await using` does); once both directions have ended, it is closed.
 */
export class PortConnection implements AsyncDisposable, AsyncIterable<Uint8Array> {
  readonly #stream: ByteStream;
  #hasRead = false;
  #hasWritten = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** The next bytes; `undefined` once the program has ended its direction. @throws connection-lost */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#hasRead) return undefined;
    const bytes = await this.#stream.read();
    if (bytes === undefined) {
      this.#hasRead = true;
      if (this.#hasWritten) await this.close();
    }
    return bytes;
  }

  /** Resolves when more may be written: await it, or what a slow program has not read piles up. @throws connection-lost */
  write(data: string | Uint8Array): Promise<void> {
    return this.#stream.write(typeof data === 'string' ? encoder.encode(data) : data);
  }

  /** Says that nothing more will be written; what comes can still be read. */
  async end(): Promise<void> {
    await this.#stream.end();
    this.#hasWritten = true;
    if (this.#hasRead) await this.close();
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (let bytes = await this.read(); bytes; bytes = await this.read()) yield bytes;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
