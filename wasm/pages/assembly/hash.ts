import { pageBytes } from './compare';

/**
 * A hash of 128 bits of a page, written to `out`: fast, and no defence against who looks for collisions. Made as XXH3
 * is: each lane of 64 bits adds the product of the halves of its data, which a key is mixed into that moves on, and the
 * data of its neighbour. The four lanes of a quarter are folded at the end.
 */
export function hash(at: usize, out: usize): void {
  let key = i64x2(0xbe4ba423396cfeb8, 0x1cad21f72c81017c);
  const move = i64x2(0x9e3779b97f4a7c15, 0xd1b54a32d192ed03);
  let a = i64x2(0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f);
  let b = i64x2(0x165667b19e3779f9, 0x85ebca77c2b2ae63);
  let c = i64x2(0x27d4eb2f165667c5, 0x9fb21c651e98df25);
  let d = i64x2(0x3243f6a8885a308d, 0x13198a2e03707344);
  for (const end = at + pageBytes; at < end; at += 64) {
    a = mix(a, v128.load(at), key);
    b = mix(b, v128.load(at, 16), v128.not(key));
    key = i64x2.add(key, move);
    c = mix(c, v128.load(at, 32), key);
    d = mix(d, v128.load(at, 48), v128.not(key));
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
function mix(sum: v128, data: v128, key: v128): v128 {
  const mixed = v128.xor(data, key);
  const low = v128.shuffle<u32>(mixed, mixed, 0, 2, 0, 2);
  const high = v128.shuffle<u32>(mixed, mixed, 1, 3, 1, 3);
  const neighbour = v128.shuffle<u64>(data, data, 1, 0);
  return i64x2.add(i64x2.add(sum, neighbour), i64x2.extmul_low_i32x4_u(low, high));
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function fold(sum: u64, lane: u64): u64 {
  sum ^= lane;
  sum *= 0x9fb21c651e98df25;
  return sum ^ (sum >> 29);
}
