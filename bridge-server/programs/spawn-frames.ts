import type { StartOptions } from './program.ts';

/** Frames of guest/spawn/protocol.h. */
export const spawnFrames = { start: 1, signal: 2, listens: 16, started: 17, failed: 18, ended: 19 } as const;

const headerBytes = 12;
/** As guest/spawn/protocol.h has it. */
const bodyBytes = 65_536;

export interface SpawnFrame {
  readonly kind: number;
  readonly id: number;
  readonly body: Buffer;
}

export function startFrame(
  id: number,
  command: readonly string[],
  { descriptors, env = {} }: StartOptions,
): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const numbers = [descriptors.length, command.length, variables.length, ...descriptors];
  const texts = [...command, ...variables].map((text) => Buffer.from(`${text}\0`));
  return frame(spawnFrames.start, id, Buffer.concat([u32s(...numbers), ...texts]));
}

export function signalFrame(id: number, signal: number): Buffer {
  return frame(spawnFrames.signal, id, u32s(signal));
}

/** The first bytes of a connection. */
export function greeting(id: number, place: number): Buffer {
  return u32s(id, place);
}

/** Cuts what a spawner says into frames. */
export class SpawnFrames {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that `bytes` complete. @throws RangeError for what no spawner says */
  push(bytes: Buffer): SpawnFrame[] {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const frames: SpawnFrame[] = [];
    while (this.#rest.length >= headerBytes) {
      const end = headerBytes + this.#rest.readUInt32LE(8);
      if (end > headerBytes + bodyBytes) throw new RangeError('The spawner said too much at once');
      if (this.#rest.length < end) break;
      const [kind, id] = [this.#rest.readUInt32LE(0), this.#rest.readUInt32LE(4)];
      frames.push({ kind, id, body: this.#rest.subarray(headerBytes, end) });
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}

function frame(kind: number, id: number, body: Buffer): Buffer {
  return Buffer.concat([u32s(kind, id, body.length), body]);
}

function u32s(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, index) => {
    bytes.writeUInt32LE(number, 4 * index);
  });
  return bytes;
}
