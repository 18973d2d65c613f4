/** LZ4 block format (lz4_Block_format.md): the last five bytes are literals, the last match begins 12 bytes before the end. */
const minMatch: usize = 4;
const lastLiterals: usize = 5;
const lastMatch: usize = 12;
const tableBits: u32 = 11;
/** Bytes of the hash table, which the caller provides. */
export const tableBytes: usize = (1 << tableBits) * 2;

// @ts-ignore: a decorator of AssemblyScript
@inline
function slot(word: u32, table: usize): usize {
  return table + <usize>((word * 2654435761) >> (32 - tableBits)) * 2;
}

/**
 * Compresses `length` bytes, 65,535 at most, to `out`, as an LZ4 block. `table` is memory of `tableBytes` for its own
 * use. Answers the bytes, or -1 where they are more than `room`.
 */
export function compress(at: usize, length: usize, out: usize, room: usize, table: usize): i32 {
  if (length > 0xffff) return -1;
  memory.fill(table, 0, tableBytes);
  const start = at;
  const end = at + length;
  const outStart = out;
  const outEnd = out + room;
  let anchor = at;
  if (length >= lastMatch + 1) {
    const matchEnd = end - lastLiterals;
    const searchEnd = end - lastMatch;
    at++; // A place of 0 means none.
    while (at < searchEnd) {
      const word = load<u32>(at);
      const place = slot(word, table);
      const found = start + <usize>load<u16>(place);
      store<u16>(place, <u16>(at - start));
      if (found == start || load<u32>(found) != word) {
        at++;
        continue;
      }
      let matched = minMatch;
      while (at + matched < matchEnd && load<u8>(found + matched) == load<u8>(at + matched)) matched++;
      out = writeSequence(anchor, at - anchor, at - found, matched, out, outEnd);
      if (out == 0) return -1;
      at += matched;
      anchor = at;
    }
  }
  out = writeSequence(anchor, end - anchor, 0, 0, out, outEnd);
  return out == 0 ? -1 : <i32>(out - outStart);
}

/** Literals and, unless `matched` is 0, a match. Answers where it ends, 0 where there is no room. */
function writeSequence(literals: usize, count: usize, offset: usize, matched: usize, out: usize, outEnd: usize): usize {
  const most = 1 + count / 255 + 1 + count + 2 + matched / 255 + 1;
  if (out + most > outEnd) return 0;
  const rest: usize = matched == 0 ? 0 : matched - minMatch;
  store<u8>(out, <u8>((min<usize>(count, 15) << 4) | min<usize>(rest, 15)));
  out = writeLength(count, out + 1);
  memory.copy(out, literals, count);
  out += count;
  if (matched == 0) return out;
  store<u16>(out, <u16>offset);
  return writeLength(rest, out + 2);
}

function writeLength(length: usize, out: usize): usize {
  if (length < 15) return out;
  let left = length - 15;
  for (; left >= 255; left -= 255) store<u8>(out++, 255);
  store<u8>(out++, <u8>left);
  return out;
}

/**
 * Unpacks an LZ4 block of `length` bytes to `out`. Answers the number of bytes, or -1 if the block is not valid or
 * has more than `room`.
 */
export function decompress(at: usize, length: usize, out: usize, room: usize): i32 {
  const end = at + length;
  const outStart = out;
  const outEnd = out + room;
  while (at < end) {
    const token = <usize>load<u8>(at++);
    let count = token >> 4;
    if (count == 15) {
      let more: usize = 255;
      while (more == 255) {
        if (at >= end) return -1;
        more = <usize>load<u8>(at++);
        count += more;
      }
    }
    if (count > end - at || count > outEnd - out) return -1;
    if (count <= 16 && end - at >= 16 && outEnd - out >= 16) v128.store(out, v128.load(at));
    else memory.copy(out, at, count);
    at += count;
    out += count;
    if (at == end) return <i32>(out - outStart);
    if (end - at < 2) return -1;
    const offset = <usize>load<u16>(at);
    at += 2;
    let matched = token & 15;
    if (matched == 15) {
      let more: usize = 255;
      while (more == 255) {
        if (at >= end) return -1;
        more = <usize>load<u8>(at++);
        matched += more;
      }
    }
    matched += minMatch;
    if (offset == 0 || offset > out - outStart || matched > outEnd - out) return -1;
    copyMatch(out, offset, matched, outEnd);
    out += matched;
  }
  return -1;
}

/** Repeats what lies `offset` bytes before. Past its end, and before `outEnd`, anything may be written. */
function copyMatch(out: usize, offset: usize, matched: usize, outEnd: usize): void {
  const last = out + matched;
  if (offset >= 16 && outEnd - last >= 16) {
    for (; out < last; out += 16) v128.store(out, v128.load(out - offset));
  } else if (offset >= 8 && outEnd - last >= 8) {
    for (; out < last; out += 8) store<u64>(out, load<u64>(out - offset));
  } else if (offset == 1) {
    memory.fill(out, load<u8>(out - 1), matched);
  } else if (matched < 32) {
    for (; out < last; out++) store<u8>(out, load<u8>(out - offset));
  } else {
    // The pattern, twice as long each time.
    const first = out - offset;
    for (let span = offset; out < last; span <<= 1) {
      const count = min<usize>(span, last - out);
      memory.copy(out, first, count);
      out += count;
    }
  }
}
