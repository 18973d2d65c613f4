import { listenAbort, throwIfAborted } from '../../abort.ts';
import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Schema } from '../../schema.ts';
import { clientFrames, type Frame, serverFrames, violation } from '../frames/frame.ts';
import { FrameJoiner } from '../frames/frame-joiner.ts';
import { cutFrames, decodeMessage, encodeMessage, type Message } from '../frames/message.ts';
import { readError, type Welcome } from '../handshake.ts';
import { unknownToServer } from '../known-methods.ts';
import { Link } from '../link.ts';
import type { WireRequest } from '../requests.ts';
import type { Transport } from '../transports/transport.ts';
import { CallSlots } from './call-slots.ts';
import type { StreamMessage, StreamReceiver } from './incoming-stream.ts';

export interface CallOptions {
  readonly bytes?: Uint8Array;
  /** What the request's stream is told to. */
  readonly stream?: StreamReceiver;
  readonly signal?: AbortSignal | undefined;
  /** It frees something, and so waits for no call that holds it. */
  readonly isRelease?: boolean;
  /** The call was given up, and then made something after all. */
  readonly onLate?: (id: number) => void;
}

/** An answer, and the id of what the request made. */
export interface Answered extends Message {
  readonly id: number;
}

export interface ClientSessionOptions {
  /** The transport is gone. */
  readonly onLost: (reason: string) => void;
  /** The server takes the client's right no longer, and its transport is gone. Without it, that is the end. */
  readonly onRefused: ((why: SandboxError) => void) | undefined;
}

interface Pending {
  /** Where its slot goes back to once it is answered. */
  readonly slots: CallSlots;
  readonly resolve: (answer: Answered) => void;
  readonly reject: (reason: SandboxError) => void;
}

const creditBytes = 4;
/** Reasons of an end with which a caller deals otherwise than by connecting again. */
const toldAsTheyAre: ReadonlySet<string> = new Set([
  'connection-lost',
  'protocol-violation',
  'unauthenticated',
  'forbidden',
]);
/** Ids are never used again, since this side does not know which the server still holds. */
const lastId = 0xffff_ffff;

/** The client's side of a session: its calls under way and its streams, over a `Link`. */
export class ClientSession {
  readonly link: Link;
  readonly #welcome: Welcome;
  readonly #joiner = new FrameJoiner(limits.wireBodyBytes);
  readonly #pending = new Map<number, Pending>();
  readonly #streams = new Map<number, StreamReceiver>();
  readonly #slots: CallSlots;
  readonly #releaseSlots: CallSlots;
  readonly #ending = new AbortController();
  readonly #ended = Promise.withResolvers<SandboxError>();
  #lastId = 0;
  #over: SandboxError | undefined;

  constructor(welcome: Welcome, options: ClientSessionOptions) {
    const { onLost, onRefused } = options;
    this.#welcome = welcome;
    const releases = Math.ceil(welcome.limits.requests / 4);
    this.#releaseSlots = new CallSlots(releases);
    this.#slots = new CallSlots(welcome.limits.requests - releases);
    this.link = new Link({
      messageBytes: welcome.limits.messageBytes,
      onFrame: (frame) => this.#accept(frame),
      onLost,
      onEnd: (error) => {
        if (error?.code === 'unauthenticated' && onRefused && !this.#over) this.#part(error, onRefused);
        else this.end(error ?? lost('the server has closed the session'));
      },
    });
  }

  /** Resolves with why, once it is over. */
  get ended(): Promise<SandboxError> {
    return this.#ended.promise;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Aborts when it is over. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  attach(transport: Transport, { received }: Welcome): void {
    this.link.attach(transport, { peerReceived: received });
  }

  /** Asks, and checks the answer. @throws whatever the server answers with; connection-lost, protocol-violation */
  async ask<T>(request: WireRequest, schema: Schema<T>): Promise<T> {
    const { json } = await this.call(request);
    return this.check(json, { schema, what: request.method });
  }

  /** What the peer said, typed; what cannot be ends the session. @throws protocol-violation */
  check<T>(json: unknown, { schema, what }: { schema: Schema<T>; what: string }): T {
    try {
      return schema(json, what);
    } catch (error) {
      const reason = SandboxError.from(error);
      this.end(reason);
      throw reason;
    }
  }

  /**
   * Sends a request; calls are sent in the order they are made. An abort is told to the server, whose
   * answer is what counts: it is waited for at most `limits.abortTimeoutMs`.
   */
  async call(request: WireRequest, options: CallOptions = {}): Promise<Answered> {
    const what = `Cannot carry out "${request.method}"`;
    this.#throwIfOver();
    const unknown = unknownToServer(request, { methods: this.#welcome.methods, bytes: options.bytes });
    if (unknown) throw unknown;
    throwIfAborted(options.signal, what);
    const { bytes } = options;
    const parts = encodeMessage(bytes ? { json: request, bytes } : { json: request });
    const id = this.#nextId();
    const slots = options.isRelease ? this.#releaseSlots : this.#slots;
    const turn = slots.take();
    if (turn) await turn;
    try {
      this.#throwIfOver();
      throwIfAborted(options.signal, what);
      return this.#send(parts, { ...options, id, what, slots });
    } catch (error) {
      slots.give();
      throw error;
    }
  }

  /** Ends it: everything that waits is rejected, streams end. Calling it again does nothing. */
  end(reason: SandboxError): void {
    if (this.#over) return;
    const error = toldAsTheyAre.has(reason.code)
      ? reason
      : new SandboxError('connection-lost', `The connection is lost: ${reason.message}`, { cause: reason });
    this.#over = error;
    this.link.close(reason.code === 'protocol-violation' ? reason : undefined);
    this.#slots.close(error);
    this.#releaseSlots.close(error);
    for (const { reject } of [...this.#pending.values()]) reject(error);
    for (const stream of [...this.#streams.values()]) stream.lose(error);
    this.#streams.clear();
    this.#ending.abort(error);
    this.#ended.resolve(error);
  }

  /** Nothing more comes on the stream that a request opened. */
  forgetStream(id: number): void {
    this.#streams.delete(id);
  }

  /** The server may wait for this client to come with another right. */
  #part(why: SandboxError, onRefused: (why: SandboxError) => void): void {
    this.link.detach(why.message);
    onRefused(why);
  }

  /** Says goodbye, and waits until the server has let go of everything, at most `limits.closeTimeoutMs`. */
  async close(): Promise<void> {
    if (this.#over) return;
    if (this.link.isAttached) {
      this.link.sayBye();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, limits.closeTimeoutMs);
      await Promise.race([this.ended, late.promise]);
      clearTimeout(timer);
    }
    this.end(lost('it was closed'));
  }

  async #send(
    parts: readonly Uint8Array[],
    { id, stream, signal, onLate, what, slots }: CallOptions & { id: number; what: string; slots: CallSlots },
  ): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    this.#pending.set(id, { slots, resolve, reject });
    if (stream) this.#bind(id, stream);
    void this.#sendBody(id, parts);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unlisten = listenAbort(signal, () => {
      void this.link.send({ type: clientFrames.abort, id });
      timer = setTimeout(() => {
        this.#pending.set(id, { slots, resolve: () => onLate?.(id), reject: () => {} });
        reject(new SandboxError('aborted', `${what}: aborted`));
      }, limits.abortTimeoutMs);
    });
    try {
      return await promise;
    } catch (error) {
      this.#streams.delete(id);
      throwIfAborted(signal, what);
      throw error;
    } finally {
      clearTimeout(timer);
      unlisten();
    }
  }

  async #sendBody(id: number, parts: readonly Uint8Array[]): Promise<void> {
    const { messageBytes } = this.#welcome.limits;
    for (const frame of cutFrames({ type: clientFrames.request, id, parts }, messageBytes)) {
      const taking = this.link.send(frame);
      if (taking) await taking;
    }
  }

  #bind(id: number, stream: StreamReceiver): void {
    this.#streams.set(id, stream);
    const grant = (bytes: number): void => {
      const credit = new Uint8Array(creditBytes);
      new DataView(credit.buffer).setUint32(0, bytes, true);
      this.link.sendNow({ type: clientFrames.credit, id, parts: [credit] });
    };
    stream.bind({ windowBytes: this.#welcome.limits.windowBytes, grant });
  }

  #accept(frame: Frame): void {
    const body = this.#joiner.push(frame);
    if (!body || this.#over) return;
    const { type, id } = frame;
    // What came is read first: an answer that cannot be read must leave its call to the end of the session.
    if (type === serverFrames.answer) {
      const answer = decodeMessage(body);
      this.#settle(id).resolve({ id, ...answer });
    } else if (type === serverFrames.error) {
      const error = readError(decodeMessage(body).json);
      this.#settle(id).reject(error);
    } else {
      const message = decodeStreamMessage(type, body);
      // A stream that this side has let go of may have something on its way.
      const stream = this.#streams.get(id);
      stream?.accept(message, body.length);
      if (stream?.isOver) this.#streams.delete(id);
    }
  }

  #settle(id: number): Pending {
    const pending = this.#pending.get(id);
    if (!pending) throw violation('an answer to what was not asked');
    this.#pending.delete(id);
    pending.slots.give();
    return pending;
  }

  #nextId(): number {
    if (this.#lastId === lastId)
      throw new SandboxError('limit-exceeded', 'Cannot call: this session is used up');
    this.#lastId++;
    return this.#lastId;
  }

  #throwIfOver(): void {
    if (this.#over) throw this.#over;
  }
}

function decodeStreamMessage(type: number, body: Uint8Array): StreamMessage {
  switch (type) {
    case serverFrames.stdout:
      return { type: 'stdout', bytes: body };
    case serverFrames.stderr:
      return { type: 'stderr', bytes: body };
    case serverFrames.item:
      return { type: 'item', ...decodeMessage(body) };
    case serverFrames.end:
      return { type: 'end', json: decodeMessage(body).json };
    case serverFrames.fail:
      return { type: 'fail', error: readError(decodeMessage(body).json) };
    default:
      throw violation('a frame that only a client sends');
  }
}

function lost(why: string): SandboxError {
  return new SandboxError('connection-lost', `The connection is lost: ${why}`);
}
