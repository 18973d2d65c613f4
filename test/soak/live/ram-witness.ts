import type { GuestParts } from '../../machine/live/open-guest.ts';

const pageBytes = 4096;

/** All of RAM at an instant, page by page; pages that are equal to the last ones are shared with these. */
export type RamCopy = readonly Buffer[];

/**
 * Reads all of a guest's RAM where v86 has it, past everything that says which pages were written:
 * what the soak holds against the machine.
 */
export class RamWitness {
  /** The parts of a guest that is to be watched: to be opened with these, once. */
  readonly parts: GuestParts;
  #memory: WebAssembly.Memory | undefined;
  #last: readonly Buffer[] = [];

  constructor(parts: GuestParts) {
    const { instantiate } = parts.watched;
    const watched = {
      ...parts.watched,
      instantiate: async (imports: object) => {
        const exports = await instantiate(imports);
        this.#memory = (exports as { memory: WebAssembly.Memory }).memory;
        return exports;
      },
    };
    this.parts = { ...parts, watched };
  }

  copy(): RamCopy {
    const ram = this.#ram();
    const last = this.#last;
    const pages: Buffer[] = [];
    for (let at = 0; at < ram.length; at += pageBytes) {
      const [page, before] = [ram.subarray(at, at + pageBytes), last[pages.length]];
      pages.push(before?.equals(page) ? before : Buffer.from(page));
    }
    this.#last = pages;
    return pages;
  }

  /** How many bytes of RAM are not those of the copy. */
  countDiffering(copy: RamCopy): number {
    const ram = this.#ram();
    let count = 0;
    for (const [number, expected] of copy.entries()) {
      const page = ram.subarray(number * pageBytes, (number + 1) * pageBytes);
      if (!expected.equals(page)) count += page.filter((byte, at) => byte !== expected[at]).length;
    }
    return count;
  }

  #ram(): Buffer {
    if (!this.#memory) throw new Error('No guest was opened with these parts');
    const { buffer } = this.#memory;
    const start = new Uint32Array(buffer, this.parts.watched.marks?.ramAt, 1)[0];
    return Buffer.from(buffer, start, this.parts.memoryMiB * 1024 * 1024);
  }
}
