/**
 * Carries messages between two peers, whole and in order, until it closes. Whoever opened it hands it to
 * one owner, which sets `receive` and `closed` before the first message can come.
 */
export interface Transport {
  /**
   * Takes `message`, never changes it, and has no more use for it once the peer has it: from then on it
   * may be written over. A returned promise resolves when more may be sent, or the
   * transport is closed; a message that is sent before is still taken.
   */
  send(message: Uint8Array): void | Promise<void>;
  /** Called with every message; the callee owns it. */
  receive: (message: Uint8Array) => void;
  /** Called once when nothing more comes, unless `abort` was called. */
  closed: (reason: string) => void;
  /** Gives it up: neither callback is called from now on. Calling it again does nothing. */
  abort(reason: string): void;
}
