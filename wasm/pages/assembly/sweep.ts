import { pageBytes } from './compare';

/** The state of a page, a byte, that is listed. */
const written: u8 = 1;

/**
 * Writes the number, 32 bits, of each page whose state is 1 to `numbers`. Begins at page `from`; ends with `most` of
 * them. Answers how many.
 */
export function list(states: usize, from: u32, pages: u32, numbers: usize, most: u32): u32 {
  let count: u32 = 0;
  for (let page = from; page < pages; ) {
    if (page + 16 <= pages && !v128.any_true(i8x16.eq(v128.load(states + <usize>page), i8x16.splat(written)))) {
      page += 16;
      continue;
    }
    for (const end = min<u32>(pages, page + 16); page < end; page++) {
      if (load<u8>(states + <usize>page) != written) continue;
      if (count == most) return count;
      store<u32>(numbers + <usize>count * 4, page);
      count++;
    }
  }
  return count;
}

/** Copies pages into RAM: `list` has for each its number and the address of its content, 32 bits both. */
export function putBack(list: usize, count: u32, ram: usize): void {
  for (const end = list + <usize>count * 8; list < end; list += 8) {
    memory.copy(ram + <usize>load<u32>(list) * pageBytes, <usize>load<u32>(list, 4), pageBytes);
  }
}
