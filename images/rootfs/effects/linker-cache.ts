import { libraryLayouts } from '../library-layout.ts';
import type { Effect } from './effect.ts';

const magic = 'glibc-ld.so.cache1.1';
const headerBytes = 48;
const entryBytes = 24;
/** cache_file_new_flags_endian_little (glibc, sysdeps/generic/dl-cache.h). */
const littleEndian = 2;

/**
 * /etc/ld.so.cache as ldconfig writes it. The linker works without; with it, it opens each library
 * at once instead of asking for it in eight places, and each question is a round trip of 9P.
 */
export const linkerCache: Effect = ({ root, profile }) => {
  const { folder: own, cacheFlags } = libraryLayouts[profile.architecture];
  const libraries = new Map<string, string>();
  // Where ldconfig looks, in its order.
  for (const folder of [own, '/usr/lib']) {
    for (const name of root.list(folder)) {
      if (/^(lib|ld-).+\.so(\.[0-9.]+)?$/.test(name) && !libraries.has(name))
        libraries.set(name, `${folder}/${name}`);
    }
  }
  root.file('/etc/ld.so.cache', encodeLinkerCache(libraries, { flags: cacheFlags }));
};

/** The cache file for library names and their paths (struct cache_file_new). */
export function encodeLinkerCache(
  libraries: ReadonlyMap<string, string>,
  { flags }: { flags: number },
): Uint8Array {
  const names = [...libraries.keys()].sort(compareLibraries).reverse();
  const strings = names.flatMap((name) => [`${name}\0`, `${libraries.get(name)}\0`]);
  const stringBytes = strings.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const stringsAt = headerBytes + names.length * entryBytes;
  const cache = Buffer.alloc(stringsAt + stringBytes);
  cache.write(magic, 'latin1');
  cache.writeUInt32LE(names.length, 20);
  cache.writeUInt32LE(stringBytes, 24);
  cache.writeUInt8(littleEndian, 28);
  let at = stringsAt;
  strings.forEach((text, index) => {
    const entryAt = headerBytes + (index >> 1) * entryBytes;
    if (index % 2 === 0) cache.writeUInt32LE(flags, entryAt);
    cache.writeUInt32LE(at, entryAt + (index % 2 === 0 ? 4 : 8));
    at += cache.write(text, at, 'utf8');
  });
  return cache;
}

/** `_dl_cache_libcmp`: runs of digits compare as numbers and come after other characters. */
function compareLibraries(a: string, b: string): number {
  const partsA = a.match(/\d+|\D/g) ?? [];
  const partsB = b.match(/\d+|\D/g) ?? [];
  for (let index = 0; index < Math.min(partsA.length, partsB.length); index++) {
    const [x = '', y = ''] = [partsA[index], partsB[index]];
    const [digitsX, digitsY] = [/\d/.test(x), /\d/.test(y)];
    if (digitsX !== digitsY) return digitsX ? 1 : -1;
    const difference = digitsX ? Number(x) - Number(y) : x.charCodeAt(0) - y.charCodeAt(0);
    if (difference !== 0) return difference;
  }
  return partsA.length - partsB.length;
}
