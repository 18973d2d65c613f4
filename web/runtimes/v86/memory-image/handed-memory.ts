import { SandboxError } from '../../../../protocol/errors.ts';
import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { GuestRam } from '../live/guest-ram.ts';
import type { StartMemory } from './load-memory.ts';
import { assertSameOrigin } from './load-memory.ts';
import type { MemoryOrigin, RunningState } from './memory-image.ts';

/**
 * A running machine on its way to another worker of this page, in which one stands at the state that both began
 * with: everything in which it differs from that. Made of what can be cloned; its large parts are transferred.
 */
export interface HandedMemory extends RunningState {
  readonly origin: MemoryOrigin;
  /** Ascending. */
  readonly pages: Uint32Array;
  /** Those pages, one after the other. */
  readonly contents: Uint8Array<ArrayBuffer>;
}

/** Copies these pages of a machine's RAM. */
export function copyPages(ram: GuestRam, pages: Uint32Array): Uint8Array<ArrayBuffer> {
  const contents = new Uint8Array(pages.length * pageBytes);
  const { bytes } = ram;
  for (let at = 0; at < pages.length; ) {
    // Pages in a row are copied at once.
    const first = pages[at] as number;
    let count = 1;
    while (pages[at + count] === first + count) count++;
    contents.set(bytes.subarray(first * pageBytes, (first + count) * pageBytes), at * pageBytes);
    at += count;
  }
  return contents;
}

/** What a machine like `origin` goes on from. @throws version-mismatch for that of another machine */
export function receiveMemory(handed: HandedMemory, origin: MemoryOrigin): StartMemory {
  assertSameOrigin(handed.origin, origin);
  const { pages, contents } = handed;
  if (contents.length !== pages.length * pageBytes) {
    throw new SandboxError('corrupt-object', 'Cannot start the machine from its memory: it was cut off');
  }
  return {
    image: handed,
    pages: new Map(
      Array.from(pages, (page, at) => [page, contents.subarray(at * pageBytes, (at + 1) * pageBytes)]),
    ),
  };
}
