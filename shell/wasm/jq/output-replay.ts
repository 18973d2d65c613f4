import { joinBytes } from '../../../tree/join-bytes.ts';

const flushedBytes = 65_536;

/** Output of a program that may begin anew, and then writes the same again: each byte goes on once. */
export class OutputReplay {
  readonly #send: (fd: 1 | 2, bytes: Uint8Array) => void;
  readonly #streams = { 1: newStream(), 2: newStream() };

  constructor(send: (fd: 1 | 2, bytes: Uint8Array) => void) {
    this.#send = send;
  }

  /** Forgets what has not gone on yet: it will be written again. */
  restart(): void {
    for (const stream of Object.values(this.#streams)) {
      stream.position = 0;
      stream.held = [];
      stream.heldBytes = 0;
    }
  }

  write(fd: 1 | 2, bytes: Uint8Array): void {
    const stream = this.#streams[fd];
    const isNewFrom = Math.min(bytes.length, Math.max(0, stream.sent - stream.position));
    stream.position += bytes.length;
    if (isNewFrom === bytes.length) return;
    const fresh = bytes.subarray(isNewFrom);
    stream.held.push(fresh);
    stream.heldBytes += fresh.length;
    if (stream.heldBytes >= flushedBytes) this.#flushStream(fd);
  }

  flush(): void {
    this.#flushStream(1);
    this.#flushStream(2);
  }

  #flushStream(fd: 1 | 2): void {
    const stream = this.#streams[fd];
    if (stream.heldBytes === 0) return;
    this.#send(fd, joinBytes(stream.held, stream.heldBytes));
    stream.sent += stream.heldBytes;
    stream.held = [];
    stream.heldBytes = 0;
  }
}

function newStream(): { position: number; sent: number; held: Uint8Array[]; heldBytes: number } {
  return { position: 0, sent: 0, held: [], heldBytes: 0 };
}
