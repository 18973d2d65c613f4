import { limits } from '../limits.ts';
import type { InitFrame } from './init-frames.ts';
import { joinSmall } from './join-small.ts';

/** What a frame takes beside its bytes. */
const frameCostBytes = 64;

/** Output and exit frames of processes. */
export type StreamFrame = Extract<InitFrame, { readonly type: 'stdout' | 'stderr' | 'status' | 'exit' }>;

/**
 * Buffers frames of processes that no client has adopted yet: at most `limits.unclaimedOutputBytes` of output, and
 * the exits of `limits.processes`, whatever init sends.
 */
export class UnclaimedFrames {
  readonly #frames = new Map<number, StreamFrame[]>();
  #keepsAll = false;
  #sizeBytes = 0;

  /** A restored machine connects: its processes are not known yet. */
  clear(): void {
    this.#frames.clear();
    this.#sizeBytes = 0;
    this.#keepsAll = true;
  }

  /** From now on only these may be adopted. */
  keepOnly(ids: readonly number[]): void {
    this.#keepsAll = false;
    for (const id of this.#frames.keys()) if (!ids.includes(id)) this.take(id);
    for (const id of ids) if (!this.#frames.has(id)) this.#frames.set(id, []);
  }

  add(frame: StreamFrame): void {
    const isNew = this.#keepsAll && this.#frames.size < limits.processes;
    const frames = this.#frames.get(frame.id) ?? (isNew ? [] : undefined);
    // A process that has ended, or that writes nothing, needs no more memory.
    if (!frames || frames.at(-1)?.type === 'exit' || (frame.type !== 'exit' && frame.bytes.length === 0))
      return;
    const last = frames.at(-1);
    const joined = joinedFrame(last, frame);
    const added = joined ?? frame;
    const sizeBytes = this.#sizeBytes + sizeOf(added) - (joined && last ? sizeOf(last) : 0);
    if (sizeBytes > limits.unclaimedOutputBytes) return;
    this.#sizeBytes = sizeBytes;
    if (joined) frames.pop();
    frames.push(added);
    this.#frames.set(frame.id, frames);
  }

  /** Forgets a process that was adopted, or never will be. */
  take(id: number): readonly StreamFrame[] {
    const frames = this.#frames.get(id) ?? [];
    this.#frames.delete(id);
    for (const frame of frames) this.#sizeBytes -= sizeOf(frame);
    return frames;
  }
}

/** Both as one, where they are small pieces of one output. */
function joinedFrame(last: StreamFrame | undefined, frame: StreamFrame): StreamFrame | undefined {
  if (last === undefined || last.type === 'exit' || last.type !== frame.type) return undefined;
  const bytes = joinSmall(last.bytes, frame.bytes);
  return bytes && { ...last, bytes };
}

function sizeOf(frame: StreamFrame): number {
  return frame.type === 'exit' ? 0 : frameCostBytes + frame.bytes.length;
}
