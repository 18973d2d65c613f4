import type { ObjectId } from '../content/object-id.ts';
import type { StoredObject } from '../objects/object-store.ts';
import type { SandboxStore } from '../objects/sandbox-store.ts';
import { historyError, shortId } from './history-error.ts';
import { objectReferences } from './object-references.ts';
import { type ReachableObjects, reachableObjects } from './reachable-objects.ts';

interface WhereObjectsAre {
  readonly store: Pick<SandboxStore, 'readSync' | 'has' | 'corrupt'>;
  /** Whether an object exists outside of the store, with all that it refers to. */
  readonly isElsewhere: (id: ObjectId) => boolean;
}

/**
 * All stored objects that `root` refers to; throws if one is missing.
 * @throws missing-object or corrupt-object whose message starts with `action`
 */
export async function wholeObjects(
  root: ObjectId,
  options: WhereObjectsAre & { readonly action: string },
): Promise<ReachableObjects['ids']> {
  const { store, isElsewhere, action } = options;
  const { ids, broken } = await reachableObjects([root], {
    read: (id) => store.readSync(id),
    skip: isElsewhere,
  });
  const present = await store.has([...ids]);
  const lost = new Set([...broken, ...[...ids].filter((id) => !present.has(id))]);
  if (lost.size > 0) throw lostError([...lost], { store, action });
  return ids;
}

/**
 * Checks that what `objects` refer to is among them or stored: newly sealed objects refer to older ones, which must
 * not have been collected.
 * @throws missing-object whose message starts with `action`
 */
export async function assertClosed(
  objects: readonly StoredObject[],
  options: WhereObjectsAre & { readonly action: string },
): Promise<void> {
  const { store, isElsewhere, action } = options;
  const own = new Set(objects.map(({ id }) => id));
  const needed = new Set(objects.flatMap(({ bytes }) => objectReferences(bytes)));
  const outside = [...needed].filter((id) => !own.has(id) && !isElsewhere(id));
  const present = await store.has(outside);
  const lost = outside.filter((id) => !present.has(id));
  if (lost.length > 0) throw lostError(lost, { store, action });
}

/** Objects that an error names. */
const namedObjects = 64;

function lostError(
  lost: readonly ObjectId[],
  { store, action }: { readonly store: WhereObjectsAre['store']; readonly action: string },
): Error {
  const [first = ''] = lost;
  const isCorrupt = lost.some((id) => store.corrupt.has(id));
  const more = lost.length > 1 ? ` and ${lost.length - 1} more are` : ' is';
  const why = `object ${shortId(first)}${more} ${isCorrupt ? 'damaged' : 'missing'}`;
  const code = isCorrupt ? 'corrupt-object' : 'missing-object';
  return historyError(code, `${action}: ${why}`, { objects: lost.slice(0, namedObjects) });
}
