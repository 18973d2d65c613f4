import type { ByteString } from '../content/byte-string.ts';
import type { ObjectId } from '../content/object-id.ts';
import { type GetObject, needObject } from '../objects/get-object.ts';
import { hardLinkFormat } from '../objects/hard-link.ts';
import { decodePage } from '../objects/pages.ts';
import { decodeTreeRoot } from '../objects/tree-root.ts';

/** By each path that a stored tree has a file with several names at: all names of that file. */
export type LinkedNames = ReadonlyMap<ByteString, readonly ByteString[]>;

/** @throws RangeError when an object is missing or not canonical */
export async function readLinkedNames(get: GetObject, tree: ObjectId): Promise<LinkedNames> {
  const { links } = decodeTreeRoot(await needObject(get, tree));
  const names = new Map<ByteString, ByteString[]>();
  for (const [index, page] of links.entries()) {
    const isLast = index === links.length - 1;
    for (const link of decodePage(await needObject(get, page), hardLinkFormat, { isLast })) {
      const primary = absolute(link.primary);
      const path = absolute(link.path);
      const all = names.get(primary) ?? [primary];
      all.push(path);
      names.set(primary, all);
      names.set(path, all);
    }
  }
  return names;
}

function absolute(path: ByteString): ByteString {
  return `/${path.replaceAll('\0', '/')}`;
}
