import type { Ino } from '../live/file-tree.ts';
import { ninePLimits } from './limits.ts';

/**
 * Pairs of an inode's number in the tree and the number that the client is told instead. Each number of the one side is on the
 * other side too, so that no two inodes are told as one.
 */
export type Renumbering = readonly (readonly [ino: Ino, told: Ino])[];

export const noneRenumbered: Renumbering = [];

/**
 * For a client that goes on in another tree and still knows some inodes by the numbers that they had in its own: Linux takes two
 * files of one number for the same, and would read the one where it opens the other. Those that now have such a number are
 * told by one that became free.
 */
export function renumber(known: readonly { readonly ino: Ino; readonly told: Ino }[]): Renumbering {
  const toldOf = new Map(known.map(({ ino, told }) => [ino, told]));
  const taken = new Set(toldOf.values());
  const free = [...toldOf.keys()].filter((ino) => !taken.has(ino));
  for (const ino of taken) if (!toldOf.has(ino)) toldOf.set(ino, free.pop() ?? ino);
  return [...toldOf].filter(([ino, told]) => ino !== told);
}

/** @throws RangeError unless it is one */
export function assertRenumbering(renumbered: Renumbering): void {
  const inos = new Set(renumbered.map(([ino]) => ino));
  const told = new Set(renumbered.map(([, number]) => number));
  const isOneToOne = inos.size === renumbered.length && told.size === inos.size;
  if (isOneToOne && [...told].every((number) => inos.has(number)) && inos.size <= 2 * ninePLimits.fids)
    return;
  throw new RangeError('Cannot restore 9P state: two inodes would have one number');
}
