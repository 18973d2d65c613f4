/** A saved state of v86. */
export interface SavedState {
  readonly bytes: ArrayBuffer;
  /** The pages of its RAM that are elsewhere, where not all of them are there: in their place are zeros. */
  readonly stored?: StoredPages | undefined;
  /** Frees the bytes at once, where nobody else has them. */
  readonly letGo?: () => void;
}

/** Pages of a saved state, by their places in it, that are put there when they are asked for. */
export interface StoredPages {
  /** Puts the page there, unless it is. @throws corrupt-object */
  read(place: number): void;
  /** Likewise all of them. @throws corrupt-object */
  readAll(): void;
  /** What was asked for until now is what the guest looks at first. */
  firstIsOver(): void;
  /** Nobody asks for a page any more. */
  letGo(): void;
}

/** Where a state has the pages of its RAM, in bytes. */
export interface RamPlace {
  readonly at: number;
  readonly sizeBytes: number;
}

/** v86 0.5.462, `src/state.js`: four words, a text in JSON, then buffers, the first at the next word. */
const headerWords = 4;
const magic = 0x86768676;
const version = 6;

/** Nothing for what is no state of this version, or is compressed. RAM is by far the longest of its buffers. */
export function ramOfState(state: ArrayBuffer): RamPlace | undefined {
  const infoAt = headerWords * Uint32Array.BYTES_PER_ELEMENT;
  if (state.byteLength < infoAt) return undefined;
  const [foundMagic, foundVersion, , infoBytes = 0] = new Uint32Array(state, 0, headerWords);
  if (foundMagic !== magic || foundVersion !== version || infoAt + infoBytes > state.byteLength)
    return undefined;
  const text = new TextDecoder().decode(new Uint8Array(state, infoAt, infoBytes));
  try {
    const { buffer_infos: buffers } = JSON.parse(text) as {
      buffer_infos: { offset: number; length: number }[];
    };
    const { offset, length } = buffers.reduce((a, b) => (b.length > a.length ? b : a));
    return { at: ((infoAt + infoBytes + 3) & ~3) + offset, sizeBytes: length };
  } catch {
    return undefined;
  }
}

/** Has v86 read a state without a copy of its RAM: instead it is given no pages. */
export function withoutCopy(state: ArrayBuffer, { at }: RamPlace, restore: () => void): void {
  state.slice = (from, to) => ArrayBuffer.prototype.slice.call(state, from, from === at ? at : to);
  try {
    restore();
  } finally {
    Reflect.deleteProperty(state, 'slice');
  }
}
