import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { decodeTreeRoot } from '../../../tree/objects/tree-root.ts';
import type { RootMount } from '../../contract.ts';
import type { RootSource } from '../root-source.ts';
import type { HostAbilities } from '../supported-metadata.ts';
import type { TreeMember } from '../unpack/tree-members.ts';
import type { LowerLayers } from './overlay-layers.ts';

/** Where the two directories of an overlay are in a root's folder, which is their parent alone. */
export function upperPaths(folder: string): { readonly upper: string; readonly work: string } {
  return { upper: join(folder, 'upper'), work: join(folder, 'work') };
}

/** Makes them, as for a root with nothing changed yet. @throws as `RootSource.unpack` */
export async function makeUpper(folder: string, tree: ObjectId, source: RootSource): Promise<void> {
  const { upper, work } = upperPaths(folder);
  await mkdir(upper);
  await mkdir(work);
  // The root directory of an overlay has the metadata of its upper one.
  const { entry } = decodeTreeRoot(source.read(tree));
  if (source.dress(upper, entry)) return;
  await source.unpack(upper, { members: onlyRoot(entry), signal: source.signal });
}

/** What a jail mounts: the directories in `folder` over `lower`. */
export function overlayMount(
  folder: string,
  { lower, abilities }: { readonly lower: LowerLayers; readonly abilities: HostAbilities },
): RootMount {
  return { type: 'overlay', lower: lower.paths, ...upperPaths(folder), userxattr: !abilities.isRoot };
}

async function* onlyRoot(entry: TreeEntry): AsyncGenerator<TreeMember> {
  yield { type: 'made', path: '', entry, replaces: false, dropsXattrs: false };
}
