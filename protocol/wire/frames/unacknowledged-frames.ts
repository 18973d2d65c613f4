import { limits } from '../../limits.ts';
import { type FrameDraft, frameSize, writeFrame } from './frame.ts';
import { FrameBuffers } from './frame-buffers.ts';

/** What a kept message costs: its bytes, and something for each. */
export function messageCost(message: Uint8Array): number {
  return message.length + 128;
}

/** The frames that the peer has not said it has, oldest first. */
export class UnacknowledgedFrames {
  readonly #frames: Uint8Array[] = [];
  readonly #buffers = new FrameBuffers();
  #costBytes = 0;
  /** Number of the oldest kept frame, modulo 2³². */
  #first = 0;
  /** How many of them are sent on the present transport. */
  #sent = 0;

  get hasRoom(): boolean {
    return this.#costBytes < limits.wireUnacknowledgedBytes;
  }

  /** Whether even the small frames that do not wait for room are too many: the peer takes nothing. */
  get isOverfull(): boolean {
    return this.#costBytes > 2 * limits.wireUnacknowledgedBytes;
  }

  get #nextNumber(): number {
    return (this.#first + this.#frames.length) >>> 0;
  }

  /** Makes the next frame and keeps it. Copies the parts. */
  push(draft: FrameDraft): void {
    const message = this.#buffers.take(frameSize(draft));
    writeFrame(message, { ...draft, number: this.#nextNumber });
    this.#frames.push(message);
    this.#costBytes += messageCost(message);
  }

  /** Lets go of memory that only the next frames would need. */
  trim(): void {
    this.#buffers.clear();
  }

  /** The oldest frame that is not sent yet, which then counts as sent. */
  nextUnsent(): Uint8Array | undefined {
    const message = this.#frames[this.#sent];
    if (message) this.#sent++;
    return message;
  }

  /** Forgets what the peer has when it has received `count` frames in all; false when it cannot have. */
  acknowledge(count: number): boolean {
    const known = (count - this.#first) >>> 0;
    if (known > this.#sent) return false;
    for (const message of this.#frames.splice(0, known)) {
      this.#costBytes -= messageCost(message);
      this.#buffers.give(message);
    }
    this.#first = count;
    this.#sent -= known;
    return true;
  }

  /** Begins again on another transport, after the `count` frames that the peer has; false when it lacks older ones. */
  rewind(count: number): boolean {
    if (!this.acknowledge(count)) return false;
    this.#sent = 0;
    return true;
  }
}
