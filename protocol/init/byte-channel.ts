/**
 * A reliable, ordered byte stream to one init: a virtio port, a socket pair. The code that opened it closes it, and
 * calls `InitClient.close(reason)` when it fails.
 */
export interface ByteChannel {
  /**
   * Takes all of `bytes`, or rejects. The next call comes only after a returned promise resolves:
   * a channel that paces itself (limits.virtioInputBytes) does so here. The channel owns `bytes`.
   */
  send(bytes: Uint8Array): void | Promise<void>;
  /** Set by the client. Call it with bytes as they come, cut anywhere; the client owns them. */
  receive: (bytes: Uint8Array) => void;
}
