import type { ByteString } from '../content/byte-string.ts';

/** FNV-1a, 32 bits, over the bytes of a name (draft-eastlake-fnv). Part of the canonical form: OB-12. */
export function nameHash(name: ByteString): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
