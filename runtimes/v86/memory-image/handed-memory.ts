import { SandboxError } from '../../../protocol/errors.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { GuestRam } from '../live/guest-ram.ts';
import type { PageContents } from '../live/lazy-ram.ts';
import type { MemoryOrigin, RunningState } from './memory-image.ts';

/**
 * A running machine on its way to another worker of this page, in which one stands at the state that both began
 * with: everything in which it differs from that. Made of what can be cloned; its large parts are transferred.
 */
export interface HandedMemory extends RunningState {
  readonly origin: MemoryOrigin;
  /** How many went ahead of it: it is what differs from the last of them, and from that state where there is none. */
  readonly edition: number;
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

/** The pages that were handed over. @throws corrupt-object where they were cut off */
export function pagesOf({ pages, contents }: Pick<HandedMemory, 'pages' | 'contents'>): PageContents {
  if (contents.length !== pages.length * pageBytes) throw incomplete('it was cut off');
  return new Map(
    Array.from(pages, (page, at) => [page, contents.subarray(at * pageBytes, (at + 1) * pageBytes)]),
  );
}

export function incomplete(why: string): SandboxError {
  return new SandboxError('corrupt-object', `Cannot start the machine from its memory: ${why}`);
}
