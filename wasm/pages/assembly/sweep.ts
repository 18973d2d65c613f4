import { pageBytes } from './compare';

/**
 * Writes the number, 32 bits, of each page that has a mark, a byte that is not 0, to `numbers`. Begins at page `from`;
 * ends with `most` of them. Answers how many.
 */
export function list(marks: usize, from: u32, pages: u32, numbers: usize, most: u32): u32 {
  let count: u32 = 0;
  for (let page = from; page < pages; ) {
    if (page + 16 <= pages && !v128.any_true(v128.load(marks + <usize>page))) {
      page += 16;
      continue;
    }
    for (const end = min<u32>(pages, page + 16); page < end; page++) {
      if (load<u8>(marks + <usize>page) == 0) continue;
      if (count == most) return count;
      store<u32>(numbers + <usize>count * 4, page);
      count++;
    }
  }
  return count;
}

/** Copies pages out of RAM, one after the other to `contents`: those of so many `numbers`, 32 bits each. */
export function take(numbers: usize, count: u32, ram: usize, contents: usize): void {
  for (const end = numbers + <usize>count * 4; numbers < end; numbers += 4, contents += pageBytes) {
    memory.copy(contents, ram + <usize>load<u32>(numbers) * pageBytes, pageBytes);
  }
}

/** Copies pages into RAM: `list` has for each its number and the address of its content, 32 bits both. */
export function putBack(list: usize, count: u32, ram: usize): void {
  for (const end = list + <usize>count * 8; list < end; list += 8) {
    memory.copy(ram + <usize>load<u32>(list) * pageBytes, <usize>load<u32>(list, 4), pageBytes);
  }
}

/** Notes which of `pages` pages differ from those that lie in the same order at `other`: a 1 in `marks`, else a 0. */
export function compareAll(ram: usize, other: usize, pages: u32, marks: usize): void {
  for (let page: u32 = 0; page < pages; page++) {
    const at = ram + <usize>page * pageBytes;
    const there = other + <usize>page * pageBytes;
    let differs: u8 = 0;
    for (let offset: usize = 0; offset < pageBytes; offset += 64) {
      const a = v128.or(
        v128.xor(v128.load(at + offset), v128.load(there + offset)),
        v128.xor(v128.load(at + offset, 16), v128.load(there + offset, 16)),
      );
      const b = v128.or(
        v128.xor(v128.load(at + offset, 32), v128.load(there + offset, 32)),
        v128.xor(v128.load(at + offset, 48), v128.load(there + offset, 48)),
      );
      if (v128.any_true(v128.or(a, b))) {
        differs = 1;
        break;
      }
    }
    store<u8>(marks + <usize>page, differs);
  }
}
