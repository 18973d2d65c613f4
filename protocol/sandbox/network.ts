import type { NetworkLog } from '../network-log.ts';

/**
 * Bytes both ways. Each direction ends by itself; whoever opened the stream closes it. Reads go one after the other, and
 * so do writes.
 */
export interface ByteStream {
  /**
   * The next bytes, as they come; `undefined` once the other side has ended its direction.
   * @throws connection-lost when the connection broke, the machine stopped or went back, or it was closed
   */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when more may be written: a slow reader slows the writer down. @throws connection-lost */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the direction to the other side, which reads what was written before and then no more. */
  end(): Promise<void>;
  /** Ends both directions at once; what has not arrived is lost. */
  close(): Promise<void>;
}

/** What a sandbox does in the network, and what can be reached in it. */
export interface NetworkFacet {
  /** Since the machine it runs in has started; nothing where it has no network. */
  log(): Promise<NetworkLog>;
  /**
   * Connects to a TCP port that a program in the sandbox listens on, at 127.0.0.1 or ::1. Needs no network of the sandbox.
   * @throws not-found when nothing listens there, timeout, busy, unsupported, machine-failed
   */
  connect(ask: { readonly port: number }): Promise<ByteStream>;
}
