import type { ObjectId } from '../../../tree/content/object-id.ts';
import { memoryLimits } from './limits.ts';
import type { PagePlace } from './page-runs.ts';

const { bundlePages, usualBundles } = memoryLimits;

/**
 * Bundles whose pages the next image writes anew: those that are lost, those of which less than half is in use,
 * and, where there are too many, some of the smallest. So an image is read from few objects, and keeps little
 * that is of no use.
 */
export function poorBundles(
  places: ReadonlyMap<number, PagePlace>,
  isStored: ReadonlySet<ObjectId>,
): Set<ObjectId> {
  const used = new Map<ObjectId, { slots: Set<number>; last: number }>();
  for (const place of places.values()) {
    if (place === 'zero') continue;
    const { slots, last } = used.get(place.bundle) ?? { slots: new Set(), last: 0 };
    used.set(place.bundle, { slots: slots.add(place.slot), last: Math.max(last, place.slot) });
  }
  const poor = new Set<ObjectId>();
  for (const [id, { slots, last }] of used) if (!isStored.has(id) || slots.size * 2 < last + 1) poor.add(id);
  const small = [...used].filter(([id, { slots }]) => !poor.has(id) && slots.size * 2 < bundlePages);
  small.sort((a, b) => a[1].slots.size - b[1].slots.size);
  if (used.size - poor.size > usualBundles) for (const [id] of small.slice(0, usualBundles / 4)) poor.add(id);
  return poor;
}
