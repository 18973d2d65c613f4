import type { LiveCpu } from './live-internals.ts';

/** What v86 keeps for a screen, in `devices.vga`; and where its WebAssembly notes what was drawn by other ways. */
interface Screen {
  readonly vga_memory: Uint8Array;
  readonly pixel_buffer: Uint8Array;
  readonly svga_memory: Uint8Array;
  vga_memory_write(address: number, value: number): void;
}

/**
 * Tells whether the screen's memory, nearly two MiB that no guest of ours writes after it has booted,
 * has changed since it was saved, without looking at it.
 */
export class ScreenMemory {
  readonly #cpu: LiveCpu;
  readonly #arrays: readonly Uint8Array[];
  #changed: Set<Uint8Array>;

  constructor(cpu: LiveCpu) {
    this.#cpu = cpu;
    const screen = cpu.devices.vga as unknown as Screen | undefined;
    this.#arrays = screen ? [screen.vga_memory, screen.pixel_buffer, screen.svga_memory] : [];
    this.#changed = new Set(this.#arrays);
    if (!screen) return;
    const write = screen.vga_memory_write;
    screen.vga_memory_write = (address, value) => {
      this.replaced();
      write.call(screen, address, value);
    };
  }

  /** Whether this is one of the screen's arrays. */
  knows(array: Uint8Array): boolean {
    return this.#arrays.includes(array);
  }

  hasChanged(array: Uint8Array): boolean {
    // What is drawn into the frame buffer leaves its range here, until a screen has shown it.
    if ((this.#cpu.svga_dirty_bitmap_max_offset[0] ?? 0) > 0) this.replaced();
    return this.#changed.has(array);
  }

  /** A copy of the array is at hand. */
  saved(array: Uint8Array): void {
    this.#changed.delete(array);
  }

  /** Any of it may be another now. */
  replaced(): void {
    this.#changed = new Set(this.#arrays);
  }
}
