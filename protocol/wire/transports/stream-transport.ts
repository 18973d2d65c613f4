import { limits } from '../../limits.ts';
import type { Transport } from './transport.ts';

/** What is used of a duplex stream of bytes, such as a Unix socket in Node. */
export interface StreamLike {
  /** Bytes that are written and not on their way yet. */
  readonly writableLength: number;
  write(bytes: Uint8Array): boolean;
  /** Closes it once everything is written. */
  end(): void;
  /** Closes it at once. */
  destroy(): void;
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface StreamTransportOptions {
  /** Of one message that comes in; by default `limits.wireMessageBytes`. */
  readonly messageBytes?: number;
  /** What was read of the stream already. */
  readonly head?: Uint8Array;
}

const headerBytes = 4;
/** Instead of a length: what comes after is why the peer closes. */
const closes = 0xffff_ffff;
const reasonBytes = 512;

/**
 * A transport over a stream of bytes, with the same at the other end: each message comes after its length, a u32 in
 * little-endian order. The stream belongs to the transport. One that announces a message that is too long is closed.
 */
export function streamTransport(
  stream: StreamLike,
  { messageBytes = limits.wireMessageBytes, head }: StreamTransportOptions = {},
): Transport {
  let isOver = false;
  let room = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (reason?: string): void => {
    isOver = true;
    room.resolve();
    if (reason !== undefined) {
      stream.write(header(closes));
      stream.write(new TextEncoder().encode(reason).subarray(0, reasonBytes));
    }
    stream.end();
    // A peer that reads nothing would keep it open.
    timer ??= setTimeout(() => stream.destroy(), limits.streamCloseMs);
  };
  const close = (reason: string): void => {
    if (isOver) return;
    end();
    transport.closed(reason);
  };
  const transport: Transport = {
    send: (message) => {
      if (isOver) return;
      stream.write(header(message.length));
      stream.write(message);
      return stream.writableLength > limits.transportBufferBytes ? room.promise : undefined;
    },
    receive: () => {},
    closed: () => {},
    abort: (reason) => {
      if (!isOver) end(reason);
    },
  };
  const reader = new MessageReader({
    messageBytes,
    onMessage: (message) => {
      if (!isOver) transport.receive(message);
    },
    onTooLong: () => close('the peer sent a message that is too long'),
  });
  stream.on('data', (bytes) => {
    if (!isOver || reader.isClosing) reader.push(bytes);
  });
  stream.on('drain', () => {
    room.resolve();
    room = Promise.withResolvers();
  });
  stream.on('close', () => {
    clearTimeout(timer);
    const { reason } = reader;
    close(reason === undefined ? 'the stream was closed' : `the peer closed it (${reason})`);
    clearTimeout(timer);
  });
  // It is closed after an error.
  stream.on('error', () => {});
  if (head && head.length > 0) {
    reader.push(head, { isHeldBack: true });
    queueMicrotask(() => reader.release());
  }
  return transport;
}

function header(value: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

interface ReaderOptions {
  readonly messageBytes: number;
  readonly onMessage: (message: Uint8Array) => void;
  readonly onTooLong: () => void;
}

/** Cuts a stream of bytes into messages. */
class MessageReader {
  readonly #options: ReaderOptions;
  #header = new Uint8Array(headerBytes);
  /** What is being filled: the header, a message, or the reason of a peer that closes. */
  #filling: Uint8Array = this.#header;
  #filled = 0;
  #isClosing = false;
  /** What came before anybody could take a message. */
  #heldBack: Uint8Array[] | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Why the peer closes, as far as it has said so. */
  get reason(): string | undefined {
    if (!this.#isClosing) return undefined;
    return new TextDecoder().decode(this.#filling.subarray(0, this.#filled)).replace(/[^\x20-\x7e]/g, '?');
  }

  push(bytes: Uint8Array, { isHeldBack = false } = {}): void {
    if (isHeldBack) this.#heldBack ??= [];
    if (this.#heldBack) this.#heldBack.push(bytes);
    else this.#read(bytes);
  }

  release(): void {
    const held = this.#heldBack ?? [];
    this.#heldBack = undefined;
    for (const bytes of held) this.#read(bytes);
  }

  #read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.subarray(at, at + this.#filling.length - this.#filled);
      // More of a reason than anybody wants to read.
      if (taken.length === 0) return;
      this.#filling.set(taken, this.#filled);
      this.#filled += taken.length;
      at += taken.length;
      if (this.#filled === this.#filling.length && !this.#isClosing && !this.#finish()) return;
    }
  }

  /** Whether to read on. */
  #finish(): boolean {
    if (this.#filling !== this.#header) {
      this.#deliver(this.#filling);
      return true;
    }
    const length = new DataView(this.#header.buffer).getUint32(0, true);
    if (length === 0) {
      this.#deliver(new Uint8Array(0));
    } else if (length === closes) {
      this.#isClosing = true;
      this.#fill(new Uint8Array(reasonBytes));
    } else if (length <= this.#options.messageBytes) {
      this.#fill(new Uint8Array(length));
    } else {
      this.#options.onTooLong();
      return false;
    }
    return true;
  }

  #deliver(message: Uint8Array): void {
    this.#fill(this.#header);
    this.#options.onMessage(message);
  }

  #fill(buffer: Uint8Array): void {
    this.#filling = buffer;
    this.#filled = 0;
  }
}
