import { pageBytes } from './compare';

const wordBytes: usize = 4;
const headBytes: usize = 4;

/**
 * Writes the delta from `base` to `page`: runs of 32-bit words, each as two 16-bit numbers, how many words are
 * equal and how many differ, and the XOR of the latter. Answers its size, or -1 if it takes more than `room`.
 */
export function makeDelta(base: usize, page: usize, out: usize, room: usize): i32 {
  const start = out;
  const end = page + pageBytes;
  const outEnd = out + room;
  while (page < end) {
    const from = page;
    // Most words are equal, and compared 16 bytes at a time.
    while (page + 16 <= end && !v128.any_true(v128.xor(v128.load(page), v128.load(base)))) {
      page += 16;
      base += 16;
    }
    while (page < end && load<u32>(page) == load<u32>(base)) {
      page += wordBytes;
      base += wordBytes;
    }
    if (page == end) break;
    const equal = (page - from) / wordBytes;
    if (out + headBytes > outEnd) return -1;
    const head = out;
    out += headBytes;
    const first = out;
    while (page < end) {
      const difference = load<u32>(page) ^ load<u32>(base);
      if (difference == 0) break;
      if (out + wordBytes > outEnd) return -1;
      store<u32>(out, difference);
      out += wordBytes;
      page += wordBytes;
      base += wordBytes;
    }
    store<u16>(head, <u16>equal);
    store<u16>(head, <u16>((out - first) / wordBytes), 2);
  }
  return <i32>(out - start);
}

/**
 * Applies a delta of `length` bytes to a page in place, which turns either of its two pages into the other. Answers
 * whether the delta is valid.
 */
export function applyDelta(delta: usize, length: usize, page: usize): bool {
  const end = delta + length;
  const pageEnd = page + pageBytes;
  while (delta < end) {
    if (delta + headBytes > end) return false;
    page += <usize>load<u16>(delta) * wordBytes;
    const bytes = <usize>load<u16>(delta, 2) * wordBytes;
    delta += headBytes;
    if (page + bytes > pageEnd || delta + bytes > end) return false;
    for (const last = page + bytes; page < last; page += wordBytes, delta += wordBytes) {
      store<u32>(page, load<u32>(page) ^ load<u32>(delta));
    }
  }
  return true;
}
