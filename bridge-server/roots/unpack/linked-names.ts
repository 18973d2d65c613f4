import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { GetObject } from '../../../tree/objects/get-object.ts';
import { needObject } from '../../../tree/objects/get-object.ts';
import { hardLinkFormat, type NulPath } from '../../../tree/objects/hard-link.ts';
import { decodePage } from '../../../tree/objects/pages.ts';

/** Every name of every file that has several, by name: the first name in walking order. Paths have no leading slash. */
export type LinkedNames = ReadonlyMap<ByteString, ByteString>;

/** The hard links of a stored tree. @throws RangeError when a page is not canonical */
export async function readLinkedNames(get: GetObject, pages: readonly ObjectId[]): Promise<LinkedNames> {
  const names = new Map<ByteString, ByteString>();
  for (const [index, id] of pages.entries()) {
    const isLast = index === pages.length - 1;
    for (const link of decodePage(await needObject(get, id), hardLinkFormat, { isLast })) {
      names.set(slashed(link.path), slashed(link.primary));
      names.set(slashed(link.primary), slashed(link.primary));
    }
  }
  return names;
}

/**
 * The names in `to` that must be made anew although their entries may be the same: those of files
 * whose set of names differs.
 */
export function regroupedNames(from: LinkedNames, to: LinkedNames): Set<ByteString> {
  const regrouped = new Set<ByteString>();
  const groups = groupsOf(to);
  const before = groupsOf(from);
  for (const group of [groups, before]) {
    const other = group === groups ? before : groups;
    for (const [primary, names] of group) {
      if (other.get(primary)?.join('\0\0') !== names.join('\0\0'))
        for (const name of names) regrouped.add(name);
    }
  }
  // One name that is made anew takes the others of its file with it.
  for (const names of groups.values()) {
    if (names.some((name) => regrouped.has(name))) for (const name of names) regrouped.add(name);
  }
  return regrouped;
}

function groupsOf(linked: LinkedNames): Map<ByteString, ByteString[]> {
  const groups = new Map<ByteString, ByteString[]>();
  for (const [name, primary] of linked) {
    const names = groups.get(primary) ?? [];
    names.push(name);
    groups.set(primary, names);
  }
  for (const names of groups.values()) names.sort();
  return groups;
}

function slashed(path: NulPath): ByteString {
  return path.replaceAll('\0', '/');
}
