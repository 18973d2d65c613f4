import type { LiveCpu } from './live-internals.ts';

/** What v86 keeps for a screen, in `devices.vga`; and where its WebAssembly notes what was drawn by other ways. */
interface Screen {
  readonly vga_memory: Uint8Array;
  readonly pixel_buffer: Uint8Array;
  readonly svga_memory: Uint8Array;
  vga_memory_read(address: number): number;
  vga_memory_write(address: number, value: number): void;
}

/** Places of the three in what the screen lists. */
const places = [6, 39, 61];
const nothing = new Uint8Array(0);

/**
 * Tells whether the screen's memory, nearly two MiB that no guest of ours writes after it has booted,
 * has changed since it was saved, without looking at it.
 */
export class ScreenMemory {
  readonly #cpu: LiveCpu;
  readonly #arrays: readonly Uint8Array[];
  #isDrawn = true;
  #isTouched = false;

  constructor(cpu: LiveCpu) {
    this.#cpu = cpu;
    const screen = cpu.devices.vga as unknown as Screen | undefined;
    this.#arrays = screen ? [screen.vga_memory, screen.pixel_buffer, screen.svga_memory] : [];
    if (!screen) return;
    const { vga_memory_read: read, vga_memory_write: write } = screen;
    screen.vga_memory_read = (address) => {
      this.#isTouched = true; // It is kept what was read.
      return read.call(screen, address);
    };
    screen.vga_memory_write = (address, value) => {
      this.#isTouched = true;
      this.#isDrawn = true;
      write.call(screen, address, value);
    };
  }

  /** Whether the guest has ever read or written it. */
  get isTouched(): boolean {
    this.#isTouched ||= this.#isFrameDrawn();
    return this.#isTouched;
  }

  /** Whether this may be another than when it was last saved; none of the screen's are not known. */
  hasChanged(array: Uint8Array): boolean | undefined {
    return this.#arrays.includes(array) ? this.#isDrawn || this.#isFrameDrawn() : undefined;
  }

  /** Copies are at hand. What is drawn into the frame buffer leaves its range until a screen has shown it. */
  saved(): void {
    this.#isDrawn = this.#isFrameDrawn();
  }

  /** Any of it may be another now. */
  replaced(): void {
    this.#isDrawn = true;
  }

  /** What puts an array back that is as it is `present`ly: v86 copies these into its own, and of nothing, nothing. */
  kept(array: Uint8Array, present: unknown): Uint8Array | undefined {
    const list = present as readonly unknown[];
    return array.length > 0 && places.some((place) => list[place] === array) ? nothing : undefined;
  }

  #isFrameDrawn(): boolean {
    return (this.#cpu.svga_dirty_bitmap_max_offset[0] ?? 0) > 0;
  }
}
