import type { ByteString } from '../content/byte-string.ts';
import { endsPage } from './pages.ts';
import type { SealedGroup } from './sealed-tree.ts';

/** An unchanged group, or the sorted names of one that has to be written again. */
export type PlannedGroup = SealedGroup | readonly ByteString[];

/**
 * Plans which groups of a directory change when the entries `changed` did (sorted; made, altered or
 * removed: `has` tells). Groups are cut after each name that ends a page, so the others stay as they are.
 */
export function planGroups(
  previous: readonly SealedGroup[],
  changed: readonly ByteString[],
  has: (name: ByteString) => boolean,
): PlannedGroup[] {
  const plan: PlannedGroup[] = [];
  let next = 0;
  let carried: ByteString[] = [];
  previous.forEach((group, index) => {
    const isLast = index === previous.length - 1;
    const end = group.names[group.names.length - 1] ?? '';
    const first = next;
    while (next < changed.length && (isLast || (changed[next] ?? '') <= end)) next += 1;
    if (next === first && carried.length === 0) {
      plan.push(group);
      return;
    }
    const names = merge(group.names, changed.slice(first, next)).filter(has);
    carried = cut([...carried, ...names], plan);
  });
  if (previous.length === 0) carried = cut(changed.filter(has), plan);
  if (carried.length > 0) plan.push(carried);
  return plan;
}

/** Adds whole groups to the plan; answers the names after the last boundary. */
function cut(names: readonly ByteString[], plan: PlannedGroup[]): ByteString[] {
  let start = 0;
  names.forEach((name, index) => {
    if (!endsPage(name)) return;
    plan.push(names.slice(start, index + 1));
    start = index + 1;
  });
  return names.slice(start);
}

function merge(names: readonly ByteString[], more: readonly ByteString[]): ByteString[] {
  return [...new Set([...names, ...more])].sort();
}
