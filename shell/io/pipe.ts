import { shellLimits } from '../limits.ts';
import { ShellError } from '../shell-error.ts';
import { ByteQueue } from './byte-queue.ts';
import { HeldFile } from './held-file.ts';
import type { OpenFile } from './open-file.ts';
import { resumed } from './run-meter.ts';
import { WaitQueue } from './wait-queue.ts';

/** Writes up to this size are not interleaved with others (`PIPE_BUF`). */
const atomicBytes = 4096;

/** A pipe's two ends, each with one holder. It holds `shellLimits.pipeBytes`; a writer waits for room. */
export function createPipe(): { readonly reader: OpenFile; readonly writer: OpenFile } {
  const buffer = new PipeBuffer();
  return { reader: new PipeReader(buffer), writer: new PipeWriter(buffer) };
}

class PipeBuffer {
  readonly bytes: ByteQueue = new ByteQueue();
  readonly changes: WaitQueue = new WaitQueue();
  hasReader = true;
  hasWriter = true;
}

class PipeReader extends HeldFile implements OpenFile {
  readonly type = 'pipe';
  readonly #buffer: PipeBuffer;

  constructor(buffer: PipeBuffer) {
    super();
    this.#buffer = buffer;
  }

  async read(maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    const { bytes, changes } = this.#buffer;
    if (maxBytes <= 0) return new Uint8Array(0);
    while (bytes.lengthBytes === 0 && this.#buffer.hasWriter) await changes.wait(signal);
    resumed(signal);
    signal?.throwIfAborted();
    const taken = bytes.take(maxBytes);
    changes.wakeAll();
    return taken;
  }

  unread(bytes: Uint8Array): void {
    this.#buffer.bytes.unshift(bytes);
    this.#buffer.changes.wakeAll();
  }

  write(): Promise<void> {
    return Promise.reject(new ShellError('EBADF'));
  }

  protected close(): void {
    this.#buffer.hasReader = false;
    this.#buffer.bytes.clear();
    this.#buffer.changes.wakeAll();
  }
}

class PipeWriter extends HeldFile implements OpenFile {
  readonly type = 'pipe';
  readonly #buffer: PipeBuffer;

  constructor(buffer: PipeBuffer) {
    super();
    this.#buffer = buffer;
  }

  read(): Promise<Uint8Array> {
    return Promise.reject(new ShellError('EBADF'));
  }

  unread(): void {}

  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const buffer = this.#buffer;
    let offset = 0;
    while (offset < bytes.length) {
      signal?.throwIfAborted();
      this.checkHeld();
      if (!buffer.hasReader) throw new ShellError('EPIPE');
      const room = shellLimits.pipeBytes - buffer.bytes.lengthBytes;
      if (room < Math.min(bytes.length, atomicBytes) && (room <= 0 || bytes.length <= atomicBytes)) {
        await buffer.changes.wait(signal);
        resumed(signal);
        continue;
      }
      // A copy: the writer may use its buffer again.
      const written = bytes.slice(offset, offset + room);
      buffer.bytes.push(written);
      offset += written.length;
      buffer.changes.wakeAll();
    }
  }

  protected close(): void {
    this.#buffer.hasWriter = false;
    this.#buffer.changes.wakeAll();
  }
}
