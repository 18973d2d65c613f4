import { type PageKernels, pageBytes } from './page-kernels.ts';

const wordBytes = 4;
const all64 = 0xffff_ffff_ffff_ffffn;
const all32 = 0xffff_ffffn;

/** The kernels in plain TypeScript: slow, and the definition of what those in WebAssembly must answer. */
export function twinKernels(memory: ArrayBuffer): PageKernels {
  const bytes = new Uint8Array(memory);
  const view = new DataView(memory);
  const page = (at: number): Uint8Array => bytes.subarray(at, at + pageBytes);
  const word = (at: number): number => view.getUint32(at, true);
  const isSame = (a: number, b: number): number =>
    page(a).every((byte, index) => byte === bytes[b + index]) ? 1 : 0;
  return {
    isZero: (at) => (page(at).every((byte) => byte === 0) ? 1 : 0),
    isSame,
    hash: (at, out) => {
      const [low, high] = hashOf(view, at);
      view.setBigUint64(out, low, true);
      view.setBigUint64(out + 8, high, true);
    },
    makeDelta: (base, at, out, room) => {
      const runs: number[] = [];
      const words = pageBytes / wordBytes;
      const differs = (index: number) => word(base + index * wordBytes) !== word(at + index * wordBytes);
      for (let index = 0; index < words; ) {
        const first = index;
        while (index < words && !differs(index)) index++;
        if (index === words) break;
        const changed = index;
        while (index < words && differs(index)) index++;
        runs.push((changed - first) | ((index - changed) << 16));
        for (let each = changed; each < index; each++)
          runs.push(word(base + each * wordBytes) ^ word(at + each * wordBytes));
      }
      if (runs.length * wordBytes > room) return -1;
      for (const [index, value] of runs.entries()) view.setUint32(out + index * wordBytes, value >>> 0, true);
      return runs.length * wordBytes;
    },
    applyDelta: (delta, length, at) => {
      let to = 0;
      for (let from = 0; from < length; ) {
        if (from + wordBytes > length) return 0;
        const head = word(delta + from);
        to += (head & 0xffff) * wordBytes;
        const size = (head >>> 16) * wordBytes;
        from += wordBytes;
        if (to + size > pageBytes || from + size > length) return 0;
        for (let each = 0; each < size; each++) {
          const place = at + to + each;
          bytes[place] = (bytes[place] ?? 0) ^ (bytes[delta + from + each] ?? 0);
        }
        from += size;
        to += size;
      }
      return 1;
    },
    // Any block that unpacks to the same bytes is correct; this one has only literals.
    compress: (at, length, out, room) => {
      if (length > 0xffff) return -1;
      const more =
        length < 15 ? [] : [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
      const block = [Math.min(length, 15) << 4, ...more, ...bytes.subarray(at, at + length)];
      if (block.length > room) return -1;
      bytes.set(block, out);
      return block.length;
    },
    decompress: (at, length, out, room) => {
      const unpacked = unpack(bytes.slice(at, at + length), room);
      if (!unpacked) return -1;
      bytes.set(unpacked, out);
      return unpacked.length;
    },
    list: (states, from, pages, numbers, most) => {
      let count = 0;
      for (let number = from; number < pages && count < most; number++) {
        if (bytes[states + number] === 1) view.setUint32(numbers + count++ * 4, number, true);
      }
      return count;
    },
    putBack: (list, count, ram) => {
      for (let each = 0; each < count; each++) {
        const [number, content] = [word(list + each * 8), word(list + each * 8 + 4)];
        bytes.copyWithin(ram + number * pageBytes, content, content + pageBytes);
      }
    },
    copy: (to, from, length) => void bytes.copyWithin(to, from, from + length),
  };
}

/**
 * Of two vectors x and y of 16 bytes, each lane of 32 bits of x is multiplied by that of y, both mixed with a key that
 * moves on. The products of lanes 0 and 1 go to one sum, with y as it is; those of lanes 2 and 3 to the next, with x.
 */
function hashOf(view: DataView, at: number): [low: bigint, high: bigint] {
  let key: [bigint, bigint] = [0xbe4ba423396cfeb8n, 0x1cad21f72c81017cn];
  const move: [bigint, bigint] = [0x9e3779b97f4a7c15n, 0xd1b54a32d192ed03n];
  const sums: [bigint, bigint][] = [
    [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn],
    [0x165667b19e3779f9n, 0x85ebca77c2b2ae63n],
    [0x27d4eb2f165667c5n, 0x9fb21c651e98df25n],
    [0x3243f6a8885a308dn, 0x13198a2e03707344n],
  ];
  const vector = (from: number): [bigint, bigint] => [
    view.getBigUint64(from, true),
    view.getBigUint64(from + 8, true),
  ];
  for (let offset = 0; offset < pageBytes; offset += 32) {
    const x = vector(at + offset);
    const y = vector(at + offset + 16);
    for (const half of [0, 1] as const) {
      const sum = sums[((offset / 32) % 2) * 2 + half] ?? [0n, 0n];
      const asItIs = half === 0 ? y : x;
      const mixedX = x[half] ^ key[half];
      const mixedY = y[half] ^ key[half];
      sum[0] = (sum[0] + asItIs[0] + (mixedX & all32) * (mixedY & all32)) & all64;
      sum[1] = (sum[1] + asItIs[1] + (mixedX >> 32n) * (mixedY >> 32n)) & all64;
    }
    key = [(key[0] + move[0]) & all64, (key[1] + move[1]) & all64];
  }
  const [low = 0n, high = 0n] = [0, 1].map((lane) =>
    sums.reduce((sum, lanes) => fold(sum, lanes[lane] ?? 0n), 0n),
  );
  return [fold(low, high), fold(high, low)];
}

function fold(sum: bigint, lane: bigint): bigint {
  const mixed = ((sum ^ lane) * 0x9fb21c651e98df25n) & all64;
  return mixed ^ (mixed >> 29n);
}

/** LZ4 block format, by its description. */
function unpack(block: Uint8Array, room: number): number[] | undefined {
  const out: number[] = [];
  let at = 0;
  const next = (): number => block[at++] ?? Number.NaN;
  const lengthOf = (half: number): number => {
    let length = half;
    for (let more = half === 15 ? 255 : 0; more === 255; ) {
      more = next();
      length += more;
    }
    return length;
  };
  while (at < block.length) {
    const token = next();
    const literals = lengthOf(token >> 4);
    if (!(literals <= block.length - at && out.length + literals <= room)) return undefined;
    for (let each = 0; each < literals; each++) out.push(next());
    if (at === block.length) return out;
    const offset = next() | (next() << 8);
    if (at > block.length) return undefined;
    const matched = lengthOf(token & 15) + 4;
    if (!(offset > 0 && offset <= out.length && out.length + matched <= room)) return undefined;
    for (let each = 0; each < matched; each++) out.push(out[out.length - offset] ?? 0);
  }
  return undefined;
}
