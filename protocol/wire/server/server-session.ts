import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { SandboxBackend } from '../../sandbox/backend.ts';
import { clientFrames, type Frame, serverFrames, violation } from '../frames/frame.ts';
import { FrameJoiner } from '../frames/frame-joiner.ts';
import { cutFrames, decodeMessage, encodeError, encodeMessage, type Message } from '../frames/message.ts';
import type { WireAccess, WireLimits } from '../handshake.ts';
import { Link } from '../link.ts';
import type { Transport } from '../transports/transport.ts';
import type { AroundRequest } from './around-request.ts';
import { HandleTable } from './handle-table.ts';
import { OutgoingStream } from './outgoing-stream.ts';
import { parseRequest } from './parse-request.ts';
import type { Answer } from './request-context.ts';
import { runRequest } from './run-request.ts';

export interface ServerSessionOptions {
  readonly backend: SandboxBackend;
  readonly limits: WireLimits;
  /** How long it waits for another transport; 0 when it ends with the first. */
  readonly graceMs: number;
  /** Prolongs the time for which the client is let in. */
  readonly renewAccess: () => Promise<WireAccess>;
  /** Something failed that no client waits for. */
  readonly onFailure: (error: unknown) => void;
  /** Notes how requests go. */
  readonly aroundRequest?: AroundRequest | undefined;
}

/** Of every stream, most of which nobody waits for any more: an error of its own would cost each its stack. */
const streamClosed = new SandboxError('connection-lost', 'The stream is closed');

/**
 * One client's session: its requests under way, its streams, and its handles. It outlives a transport
 * by `graceMs`; when it ends, everything that it holds is let go of.
 */
export class ServerSession {
  readonly link: Link;
  readonly #options: ServerSessionOptions;
  readonly #joiner = new FrameJoiner(limits.wireBodyBytes);
  readonly #requests = new Map<number, AbortController>();
  readonly #streams = new Map<number, OutgoingStream>();
  readonly #handles: HandleTable;
  readonly #released = Promise.withResolvers<SandboxError | undefined>();
  #isOver = false;
  /** Whether the client comes back with another right when the one that it has ends. */
  #clientRenews = false;
  #grace: TimerHandle | undefined;

  constructor(options: ServerSessionOptions) {
    this.#options = options;
    this.#handles = new HandleTable(options.limits.streams);
    this.link = new Link({
      messageBytes: options.limits.messageBytes,
      onFrame: (frame) => this.#accept(frame),
      onLost: (reason) => this.#await(reason),
      onEnd: (error) => void this.end(error),
    });
  }

  /** Resolves when everything is let go of, with why it ended, or nothing when the client said goodbye. */
  get ended(): Promise<SandboxError | undefined> {
    return this.#released.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Begins, or goes on, over `transport`. @throws connection-lost when the client lacks what is not kept; then it ends */
  resume(transport: Transport, { received, renews }: { received: number; renews: boolean }): void {
    clearTimeout(this.#grace);
    this.#clientRenews = renews;
    try {
      this.link.attach(transport, { peerReceived: received });
    } catch (error) {
      void this.end(SandboxError.from(error));
      throw error;
    }
  }

  /**
   * Lets nothing more through until the client has come back with another right, for which it has the time that
   * the session outlives a transport; ends it where the client would not.
   */
  async suspend(why: SandboxError): Promise<void> {
    if (this.#isOver) return;
    if (!this.#clientRenews || this.#options.graceMs === 0) return this.end(why);
    this.link.part(why);
    this.#await(why.message);
  }

  /** Ends it: lets go of everything, then tells the client. Resolves with it. */
  async end(error: SandboxError | undefined): Promise<void> {
    if (this.#isOver) {
      await this.ended;
      return;
    }
    this.#isOver = true;
    clearTimeout(this.#grace);
    const reason = error ?? new SandboxError('connection-lost', 'The client has closed the session');
    for (const request of this.#requests.values()) request.abort(reason);
    for (const stream of this.#streams.values()) stream.close(reason);
    await inTime(this.#handles.close(reason, this.#options.onFailure));
    this.link.close(error);
    this.#released.resolve(error);
  }

  #await(reason: string): void {
    if (this.#isOver) return;
    clearTimeout(this.#grace);
    const lost = new SandboxError('connection-lost', `The connection to the client is lost: ${reason}`);
    const { graceMs } = this.#options;
    if (graceMs === 0) void this.end(lost);
    else this.#grace = setTimeout(() => void this.end(lost), graceMs);
  }

  #accept(frame: Frame): void {
    if (this.#isOver) return;
    switch (frame.type) {
      case clientFrames.request:
        this.#acceptRequest(frame);
        break;
      case clientFrames.abort:
        this.#requests.get(frame.id)?.abort();
        break;
      case clientFrames.credit:
        this.#grant(frame);
        break;
      default:
        throw violation('a frame that only a server sends');
    }
  }

  #grant({ id, payload }: Frame): void {
    if (payload.length !== 4) throw violation('credit of another size');
    const bytes = new DataView(payload.buffer, payload.byteOffset, 4).getUint32(0, true);
    // What it grants to a stream that has ended crossed its end.
    this.#streams.get(id)?.grant(bytes);
  }

  #acceptRequest(frame: Frame): void {
    const { id } = frame;
    const isTaken = this.#requests.has(id) || this.#handles.has(id) || this.#streams.has(id);
    if (id === 0 || isTaken) throw violation(`a request with the id ${id}, which is in use`);
    const body = this.#joiner.push(frame);
    if (!body) return;
    const message = decodeMessage(body, { jsonBytes: limits.wireRequestJsonBytes });
    if (this.#requests.size >= this.#options.limits.requests) throw violation('more requests than it may');
    const abort = new AbortController();
    this.#requests.set(id, abort);
    void this.#run(id, message, abort.signal);
  }

  async #run(id: number, message: Message, signal: AbortSignal): Promise<void> {
    const { backend, onFailure, renewAccess, aroundRequest } = this.#options;
    try {
      const request = parseRequest(message);
      const run = () =>
        runRequest(request, {
          id,
          bytes: message.bytes,
          backend,
          handles: this.#handles,
          signal,
          renewAccess,
          openStream: () => this.#openStream(id),
          closeStream: () => this.#closeStream(id),
          onFailure,
        });
      const connection = () => this.#handles.connectionOf('on' in request ? request.on : id);
      const answer = await (aroundRequest?.({ method: request.method, connection }, run) ?? run());
      await this.#send(serverFrames.answer, id, encodeAnswer(answer));
    } catch (error) {
      await this.#send(serverFrames.error, id, encodeError(SandboxError.from(error)));
    } finally {
      // Not before the answer is on its way: answers that wait for the client are what is limited.
      this.#requests.delete(id);
    }
  }

  async #send(type: number, id: number, parts: readonly Uint8Array[]): Promise<void> {
    for (const frame of cutFrames({ type, id, parts }, this.#options.limits.messageBytes)) {
      const taking = this.link.send(frame);
      if (taking) await taking;
    }
  }

  #openStream(id: number): OutgoingStream {
    const { messageBytes, windowBytes } = this.#options.limits;
    const stream = new OutgoingStream(id, { link: this.link, frameBytes: messageBytes, windowBytes });
    if (this.#isOver) stream.close(new SandboxError('connection-lost', 'The session has ended'));
    else this.#streams.set(id, stream);
    return stream;
  }

  #closeStream(id: number): void {
    this.#streams.get(id)?.close(streamClosed);
    this.#streams.delete(id);
  }
}

/** @throws limit-exceeded when a client would not take it */
function encodeAnswer(answer: Answer): readonly Uint8Array[] {
  const parts = encodeMessage(answer);
  const sizeBytes = Math.max(...parts.map(({ length }) => length));
  if (sizeBytes <= limits.uploadBytes) return parts;
  const details = { limit: limits.uploadBytes, sizeBytes };
  throw new SandboxError('limit-exceeded', `Cannot answer: ${sizeBytes} bytes are too many`, { details });
}

/** What does not let go of what it holds keeps nobody waiting for ever. */
async function inTime(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limits.closeTimeoutMs);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
