import { type Frame, sizeOf, violation } from './frame.ts';

/** What a held part costs besides its bytes, so that many tiny ones are no way to much memory. */
const partCostBytes = 512;

/** Puts bodies together that came in several frames; those of different ids and types come mixed. */
export class FrameJoiner {
  readonly #parts = new Map<string, Uint8Array[]>();
  readonly #limitBytes: number;
  #heldBytes = 0;

  /** The limit is for all unfinished bodies together. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The whole body when `frame` is the last of it: of one frame, a view into it. @throws protocol-violation */
  push({ type, id, more, payload }: Frame): Uint8Array | undefined {
    const key = `${type}/${id}`;
    const parts = this.#parts.get(key) ?? [];
    if (parts.length === 0 && !more) return payload;
    this.#heldBytes += payload.length + partCostBytes;
    if (this.#heldBytes > this.#limitBytes) throw violation('a body that is too large');
    parts.push(payload);
    if (more) {
      this.#parts.set(key, parts);
      return undefined;
    }
    this.#parts.delete(key);
    this.#heldBytes -= sizeOf(parts) + parts.length * partCostBytes;
    return joinParts(parts);
  }
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
