import { pageBytes } from './compare';

/**
 * Writes a 128-bit hash of a page to `out`: fast, and not collision-resistant against an attacker. As in NH and
 * XXH3, two vectors of data are mixed with a key that moves on, their halves of 64 bits are multiplied 32 bits by
 * 32, and each product is added to a sum with one of the vectors as it is, so that a factor of 0 hides nothing. The
 * eight sums are folded at the end.
 */
export function hash(at: usize, out: usize): void {
  let key = i64x2(0xbe4ba423396cfeb8, 0x1cad21f72c81017c);
  const move = i64x2(0x9e3779b97f4a7c15, 0xd1b54a32d192ed03);
  let a = i64x2(0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f);
  let b = i64x2(0x165667b19e3779f9, 0x85ebca77c2b2ae63);
  let c = i64x2(0x27d4eb2f165667c5, 0x9fb21c651e98df25);
  let d = i64x2(0x3243f6a8885a308d, 0x13198a2e03707344);
  for (const end = at + pageBytes; at < end; at += 128) {
    a = addLow(a, at, key);
    b = addHigh(b, at, key);
    key = i64x2.add(key, move);
    c = addLow(c, at + 32, key);
    d = addHigh(d, at + 32, key);
    key = i64x2.add(key, move);
    a = addLow(a, at + 64, key);
    b = addHigh(b, at + 64, key);
    key = i64x2.add(key, move);
    c = addLow(c, at + 96, key);
    d = addHigh(d, at + 96, key);
    key = i64x2.add(key, move);
  }
  let low: u64 = 0;
  let high: u64 = 0;
  low = fold(fold(fold(fold(low, i64x2.extract_lane(a, 0)), i64x2.extract_lane(b, 0)), i64x2.extract_lane(c, 0)), i64x2.extract_lane(d, 0));
  high = fold(fold(fold(fold(high, i64x2.extract_lane(a, 1)), i64x2.extract_lane(b, 1)), i64x2.extract_lane(c, 1)), i64x2.extract_lane(d, 1));
  store<u64>(out, fold(low, high));
  store<u64>(out, fold(high, low), 8);
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function fold(sum: u64, lane: u64): u64 {
  sum ^= lane;
  sum *= 0x9fb21c651e98df25;
  return sum ^ (sum >> 29);
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function addLow(sum: v128, at: usize, key: v128): v128 {
  const product = i64x2.extmul_low_i32x4_u(v128.xor(v128.load(at), key), v128.xor(v128.load(at, 16), key));
  return i64x2.add(i64x2.add(sum, v128.load(at, 16)), product);
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function addHigh(sum: v128, at: usize, key: v128): v128 {
  const product = i64x2.extmul_high_i32x4_u(v128.xor(v128.load(at), key), v128.xor(v128.load(at, 16), key));
  return i64x2.add(i64x2.add(sum, v128.load(at)), product);
}
