const pageBytes = 65_536;

/** Holds every memory of WebAssembly in this thread to a size: what asks for more is told that there is none. */
export function limitMemory(memoryBytes: number): void {
  limitBytes = memoryBytes;
  if (isLimited) return;
  isLimited = true;
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function limited(this: WebAssembly.Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes > limitBytes) throw new RangeError('no memory left');
    return grow.call(this, pages);
  };
}

let limitBytes = Number.POSITIVE_INFINITY;
let isLimited = false;
