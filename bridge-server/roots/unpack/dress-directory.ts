import { chmodSync, chownSync, utimesSync } from 'node:fs';
import { fileMode } from '../../../tree/live/file-mode.ts';
import type { TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { type HostAbilities, supportedId, supportedXattrs } from '../supported-metadata.ts';

/**
 * Gives a directory an entry's metadata, if Node can: it sets no extended attributes, and no times
 * between seconds. Answers whether it could; tar can all, and is a process to start.
 * @throws what Linux answers
 */
export function dressDirectory(path: string, entry: TreeEntry, abilities: HostAbilities): boolean {
  if (entry.mtimeNanoseconds !== 0 || supportedXattrs(entry, abilities).size > 0) return false;
  if (abilities.hasIds) chownSync(path, supportedId(entry.uid, abilities), supportedId(entry.gid, abilities));
  chmodSync(path, entry.mode & fileMode.permissions); // After the owner: a change of that clears bits.
  utimesSync(path, entry.mtimeSeconds, entry.mtimeSeconds);
  return true;
}
