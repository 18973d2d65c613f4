import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';

/** RAM as a saved state of v86 has it: which pages are not zero, and those one after the other. */
export interface PackedRam {
  /** A bit for each page, the lowest first. */
  readonly bitmap: Uint8Array;
  readonly pages: Uint8Array;
}

/** The pages of RAM that are not zero. */
export function unpackRam({ bitmap, pages }: PackedRam): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (let page = 0; page < bitmap.length * 8; page++) {
    if (((bitmap[page >>> 3] ?? 0) & (1 << (page & 7))) === 0) continue;
    const at = found.size * pageBytes;
    found.set(page, pages.subarray(at, at + pageBytes));
  }
  return found;
}
