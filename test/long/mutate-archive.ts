import { gzipSync } from 'node:zlib';
import { hostileTars, tarOf } from '../fixtures/hostile-tars.ts';

const large = '\0'.repeat(256 * 1_024);

const seeds: readonly Uint8Array[] = [
  tarOf(
    { path: 'a', content: 'text' },
    { type: 'directory', path: 'b/' },
    { path: 'b/c', content: 'x'.repeat(600) },
  ),
  tarOf({ path: 'deep/er/file', content: 'x' }, { type: 'symlink', path: 'l', linkPath: '/etc/passwd' }),
  tarOf({ path: 'zeros', content: large }, { path: '../evil', content: large }),
  tarOf(...Array.from({ length: 200 }, (_, index) => ({ path: `many/${index}` }))),
  tarOf({ path: `${'long/'.repeat(60)}name`, content: 'pax' }, { path: 'ü'.repeat(90) }),
  ...hostileTars.map(([, archive]) => archive),
];

/** An archive that nobody would make: one of the known ones with a few of its bytes or blocks changed, plain or as a gzip. */
export function mutatedArchive(random: () => number): Uint8Array {
  const below = (count: number): number => Math.floor(random() * count);
  let bytes: Uint8Array = seeds[below(seeds.length)] ?? new Uint8Array(0);
  for (let count = below(6); count > 0; count--) bytes = mutate(bytes, below);
  const kind = random();
  if (kind < 0.4) return bytes;
  const packed = gzipSync(bytes, { level: kind < 0.6 ? 1 : 9 });
  // Half of the gzips are whole, so that what is in them is looked at.
  return kind < 0.7 ? packed : mutate(packed, below);
}

function mutate(bytes: Uint8Array, below: (count: number) => number): Uint8Array {
  const at = below(bytes.length + 1);
  const block = Math.floor(at / 512) * 512;
  switch (below(7)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return changed(bytes, at, below(256));
    case 2:
      // In a header, where it counts.
      return changed(bytes, block + below(512), below(256));
    case 3:
      return Buffer.concat([bytes.subarray(0, block), bytes.subarray(block + 512)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, block + 512), bytes.subarray(block)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), new Uint8Array(below(2_000)), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes.subarray(0, block), Buffer.alloc(512, below(256)), bytes.subarray(block)]);
  }
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = bytes.slice();
  if (at < copy.length) copy[at] = value;
  return copy;
}
