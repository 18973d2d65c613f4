import { type PageKernels, pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { GrowingMemory } from './page-arena.ts';

/** Numbers of 32 bits that a page has room for, which a kernel is told or tells at once. */
export const listLength: number = pageBytes / 4;

export interface WrittenOptions {
  /** Address of the states of pages. */
  readonly states: number;
  readonly pages: number;
  /** The first that is looked at. */
  readonly from?: number;
  /** No more are answered. */
  readonly most?: number;
}

/** Numbers of pages that count as written, ascending. `scratch`: address of a page of memory that the kernel may use. */
export function listWritten(
  kernels: PageKernels,
  {
    memory,
    scratch,
    states,
    pages,
    from = 0,
    most = Number.POSITIVE_INFINITY,
  }: WrittenOptions & { memory: GrowingMemory; scratch: number },
): Uint32Array {
  const parts: Uint32Array[] = [];
  for (let left = most; left > 0; ) {
    const room = Math.min(left, listLength);
    const count = kernels.list(states, from, pages, scratch, room);
    const numbers = new Uint32Array(memory.buffer, scratch, count).slice();
    parts.push(numbers);
    if (count < room) break;
    from = (numbers[count - 1] as number) + 1;
    left -= count;
  }
  return joined(parts);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const [only, another] = parts;
  if (only && !another) return only;
  const whole = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
