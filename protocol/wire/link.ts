import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  encodeFrame,
  type Frame,
  type FrameDraft,
  isNumbered,
  linkFrames,
  parseFrame,
  violation,
} from './frames/frame.ts';
import { messageCost, UnacknowledgedFrames } from './frames/unacknowledged-frames.ts';
import { encodeBye, readBye } from './handshake.ts';
import type { Transport } from './transports/transport.ts';

export interface LinkOptions {
  /** Of one message, either way. */
  readonly messageBytes: number;
  /** Takes a numbered frame. What it throws ends the link. */
  readonly onFrame: (frame: Frame) => void;
  /** The transport is gone; the link waits for another. */
  readonly onLost: (reason: string) => void;
  /** The peer said BYE (with an error or without): close it. Or it broke the protocol: it is closed. */
  readonly onEnd: (error: SandboxError | undefined) => void;
}

interface Waiting {
  readonly draft: FrameDraft;
  readonly taken: () => void;
}

/**
 * Carries numbered frames to a peer, each once and in order, over one transport after the other: what
 * the peer has not said it has is kept, and sent again on the next transport.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #kept: UnacknowledgedFrames = new UnacknowledgedFrames();
  /** Frames that wait for room; each sender waits for its own, so they are as many as senders at most. */
  #waiting: Waiting[] = [];
  #transport: Transport | undefined;
  #isTransportFull = false;
  /** Numbered frames received; the next one has this number. */
  #received = 0;
  #toAcknowledge = 0;
  /** An ACK is due, and waits for room. */
  #owesAck = false;
  #isOver = false;
  /** The peer has said BYE: nothing that it sends over this transport counts any more. */
  #hasBye = false;
  #pulse: ReturnType<typeof setInterval> | undefined;
  #heardAtMs = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get received(): number {
    return this.#received;
  }

  get isAttached(): boolean {
    return this.#transport !== undefined;
  }

  /**
   * Goes on over `transport`, of which the handshake is done: sends again what the peer lacks.
   * @throws connection-lost when that is not kept any more
   */
  attach(transport: Transport, { peerReceived }: { peerReceived: number }): void {
    this.detach('another transport takes over');
    if (!this.#kept.rewind(peerReceived)) {
      throw new SandboxError('connection-lost', 'Cannot resume the session: the peer lacks what is not kept');
    }
    this.#transport = transport;
    this.#hasBye = false;
    this.#isTransportFull = false;
    this.#owesAck = false; // The handshake has said it.
    this.#heardAtMs = performance.now();
    transport.receive = (message) => this.#receive(message);
    transport.closed = (reason) => this.#lose(reason);
    this.#pulse = setInterval(() => this.#checkPulse(), limits.wirePingMs);
    this.#pump();
  }

  /** Lets go of the transport, if there is one, and keeps everything else. */
  detach(reason: string): void {
    const transport = this.#transport;
    clearInterval(this.#pulse);
    this.#transport = undefined;
    transport?.abort(reason);
  }

  /** Lets go of the transport after a BYE that says why, and keeps everything else for another one. */
  part(why: SandboxError): void {
    this.#say(encodeBye(why));
    this.detach(why.message);
  }

  /**
   * Sends a frame after those sent before. A returned promise resolves once there is room for it, or the
   * link is over: send the next one of the same stream only then. Parts are copied, at the latest then.
   */
  send(draft: FrameDraft): void | Promise<void> {
    if (this.#isOver) return;
    if (this.#waiting.length === 0 && this.#mayTake()) {
      this.#take(draft);
      return;
    }
    return new Promise((resolve) => this.#waiting.push({ draft, taken: resolve }));
  }

  /** Sends a small frame without waiting for room: credit that waited behind data would stall the peer. */
  sendNow(draft: FrameDraft): void {
    if (this.#isOver) return;
    this.#take(draft);
    if (!this.#kept.isOverfull) return;
    const error = new SandboxError('connection-lost', 'Cannot go on: the peer does not take what it is sent');
    this.close(error);
    this.#options.onEnd(error);
  }

  /** Tells the peer that nobody needs the session any more; it answers with BYE when it has let go of everything. */
  sayBye(): void {
    this.#say(encodeBye());
  }

  /** Ends it, after a BYE where there is a transport. Calling it again does nothing. */
  close(error?: SandboxError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#say(encodeBye(error));
    this.detach(error?.message ?? 'the session has ended');
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { taken } of waiting) taken();
  }

  #mayTake(): boolean {
    return this.#transport !== undefined && !this.#isTransportFull && this.#kept.hasRoom;
  }

  #take(draft: FrameDraft): void {
    this.#kept.push(draft);
    this.#pump();
  }

  #pump(): void {
    while (this.#transport && !this.#isTransportFull && !this.#isOver) {
      const message = this.#kept.nextUnsent();
      if (message) {
        this.#say(message);
        continue;
      }
      const next = this.#kept.hasRoom ? this.#waiting.shift() : undefined;
      if (!next) return;
      this.#kept.push(next.draft);
      next.taken();
    }
  }

  #say(message: Uint8Array): void {
    const transport = this.#transport;
    if (!transport) return;
    try {
      const sending = transport.send(message);
      if (sending) void this.#waitFor(transport, sending);
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  async #waitFor(transport: Transport, sending: Promise<void>): Promise<void> {
    this.#isTransportFull = true;
    await sending.catch(() => undefined);
    if (this.#transport !== transport) return;
    this.#isTransportFull = false;
    if (this.#owesAck) this.#acknowledge();
    this.#pump();
  }

  #receive(message: Uint8Array): void {
    if (this.#hasBye) return;
    this.#heardAtMs = performance.now();
    try {
      if (message.length > this.#options.messageBytes) throw violation('a message that is too large');
      const frame = parseFrame(message);
      if (isNumbered(frame.type)) this.#receiveNumbered(frame, messageCost(message));
      else this.#receiveOwn(frame);
    } catch (error) {
      const reason = SandboxError.from(error);
      this.close(reason);
      this.#options.onEnd(reason);
    }
  }

  #receiveNumbered(frame: Frame, costBytes: number): void {
    if (frame.number !== this.#received)
      throw violation(`frame ${frame.number} instead of ${this.#received}`);
    this.#received = (this.#received + 1) >>> 0;
    this.#toAcknowledge += costBytes;
    if (this.#toAcknowledge >= limits.wireAcknowledgeBytes) this.#acknowledge();
    this.#options.onFrame(frame);
  }

  #receiveOwn(frame: Frame): void {
    switch (frame.type) {
      case linkFrames.ping:
        this.#acknowledge();
        break;
      case linkFrames.ack:
        if (!this.#kept.acknowledge(frame.number)) throw violation('an ACK of what was not sent');
        this.#pump();
        break;
      case linkFrames.bye:
        this.#hasBye = true;
        this.#options.onEnd(readBye(frame));
        break;
      default:
        throw violation('a greeting in the middle of a session');
    }
  }

  /** One says all, so that those to a peer that asks for many and takes none do not pile up. */
  #acknowledge(): void {
    this.#owesAck = this.#isTransportFull;
    if (this.#owesAck) return;
    this.#toAcknowledge = 0;
    this.#say(encodeFrame({ type: linkFrames.ack }, this.#received));
  }

  /** A peer that vanished without a word closes nothing. */
  #checkPulse(): void {
    this.#kept.trim();
    const quietMs = performance.now() - this.#heardAtMs;
    if (quietMs >= limits.wireSilenceMs) this.#lose(`the peer was silent for ${Math.round(quietMs)} ms`);
    else if (quietMs >= limits.wirePingMs) this.#say(encodeFrame({ type: linkFrames.ping }));
  }

  #lose(reason: string): void {
    if (!this.#transport || this.#isOver) return;
    this.detach(reason);
    this.#options.onLost(reason);
  }
}
