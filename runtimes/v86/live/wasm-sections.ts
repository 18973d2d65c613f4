/** A section of a WebAssembly module (core specification, 5.5.2). */
export interface WasmSection {
  readonly id: number;
  readonly content: Uint8Array;
}

/** Numbers of sections. */
export const sectionIds = { custom: 0, type: 1, import: 2, function: 3, memory: 5, code: 10 } as const;

const preambleBytes = 8;

/** Reads LEB128 numbers, names and runs of bytes. @throws RangeError past the end */
export class WasmReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  u8(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new RangeError('the module ends early');
    this.at++;
    return byte;
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value >>> 0;
    }
    throw new RangeError('a number has too many bytes');
  }

  take(count: number): Uint8Array {
    if (count > this.bytes.length - this.at) throw new RangeError('the module ends early');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  name(): string {
    return new TextDecoder().decode(this.take(this.u32()));
  }

  /** What is left. */
  rest(): Uint8Array {
    return this.take(this.bytes.length - this.at);
  }
}

/** @throws RangeError for what is no module */
export function readSections(module: Uint8Array): WasmSection[] {
  const reader = new WasmReader(module, preambleBytes);
  const sections: WasmSection[] = [];
  while (!reader.isAtEnd) sections.push({ id: reader.u8(), content: reader.take(reader.u32()) });
  return sections;
}

/** A module of these sections; the first bytes are those of `module`. */
export function writeSections(module: Uint8Array, sections: readonly WasmSection[]): Uint8Array<ArrayBuffer> {
  return concatenate([
    module.subarray(0, preambleBytes),
    ...sections.flatMap(({ id, content }) => [Uint8Array.of(id, ...u32(content.length)), content]),
  ]);
}

/** The one section with this number. @throws RangeError when there is none, or more than one */
export function theSection(sections: readonly WasmSection[], id: number): WasmSection {
  const [section, another] = sections.filter((one) => one.id === id);
  if (!section || another) throw new RangeError(`it has not one section ${id}`);
  return section;
}

/** An unsigned LEB128 number. */
export function u32(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value >>> 0; ; left >>>= 7) {
    if (left < 0x80) return [...bytes, left];
    bytes.push((left & 0x7f) | 0x80);
  }
}

/** A signed LEB128 number. */
export function s32(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value | 0; ; left >>= 7) {
    const low = left & 0x7f;
    const isLast = left >> 7 === 0 ? (low & 0x40) === 0 : left >> 7 === -1 && (low & 0x40) !== 0;
    if (isLast) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
