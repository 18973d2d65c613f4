const prime1 = 0x9e3779b1 | 0;
const prime2 = 0x85ebca77 | 0;
const prime3 = 0xc2b2ae3d | 0;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;

/**
 * xxHash32 of `bytes` (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md). It finds
 * torn and altered records at memory speed; it is no defence against an attacker.
 */
export function xxh32(bytes: Uint8Array, seed = 0): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  const stripes = words.length & ~3;
  let hash: number;
  if (stripes > 0) {
    let a = (seed + prime1 + prime2) | 0;
    let b = (seed + prime2) | 0;
    let c = seed | 0;
    let d = (seed - prime1) | 0;
    // Written out: until the engine has optimised this loop, a call per word costs ten times as much.
    for (let at = 0; at < stripes; at += 4) {
      a = (a + Math.imul(words[at] as number, prime2)) | 0;
      a = Math.imul((a << 13) | (a >>> 19), prime1);
      b = (b + Math.imul(words[at + 1] as number, prime2)) | 0;
      b = Math.imul((b << 13) | (b >>> 19), prime1);
      c = (c + Math.imul(words[at + 2] as number, prime2)) | 0;
      c = Math.imul((c << 13) | (c >>> 19), prime1);
      d = (d + Math.imul(words[at + 3] as number, prime2)) | 0;
      d = Math.imul((d << 13) | (d >>> 19), prime1);
    }
    hash = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0;
  } else {
    hash = (seed + prime5) | 0;
  }
  hash = (hash + bytes.length) | 0;
  for (let at = stripes; at < words.length; at++) {
    hash = Math.imul(rotate((hash + Math.imul(words[at] as number, prime3)) | 0, 17), prime4);
  }
  for (let at = words.length * 4; at < aligned.length; at++) {
    hash = Math.imul(rotate((hash + Math.imul(aligned[at] as number, prime5)) | 0, 11), prime1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
