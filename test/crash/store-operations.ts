import fc from 'fast-check';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { LogDirectory } from '../../tree/log-store/log-file.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sampleObject } from '../conformance/sample-objects.ts';

/** Objects that operations name by their place here. */
export const pool: readonly StoredObject[] = Array.from({ length: 12 }, (_, seed) =>
  sampleObject(seed, seed * 331),
);

/** One thing that is done to a store. */
export type Operation =
  | {
      readonly type: 'commit';
      readonly objects: readonly number[];
      readonly ref: string;
      readonly value: string;
    }
  | { readonly type: 'sweep'; readonly live: readonly number[] }
  | { readonly type: 'reopen' };

/** Any operation. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('commit' as const),
      objects: fc.array(fc.nat({ max: pool.length - 1 }), { maxLength: 4 }),
      ref: fc.constantFrom('head', 'tag/a', 'tag/b'),
      value: fc.string({ maxLength: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('sweep' as const),
      live: fc.array(fc.nat({ max: pool.length - 1 })),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' as const }) },
);

/** What the store has promised: refs, and objects that must be there. */
export interface Promised {
  readonly refs: ReadonlyMap<string, string>;
  readonly objects: ReadonlySet<number>;
}

/** What is promised once `done` was acknowledged. */
export function promisedAfter(before: Promised, done: Operation): Promised {
  if (done.type === 'commit') {
    return {
      refs: new Map([...before.refs, [done.ref, done.value]]),
      objects: new Set([...before.objects, ...done.objects]),
    };
  }
  if (done.type === 'reopen') return before;
  const live = new Set(done.live);
  return { refs: before.refs, objects: new Set([...before.objects].filter((n) => live.has(n))) };
}

/** Does one operation; answers the store, which may be another one then. */
export async function apply(store: LogStore, done: Operation, directory: LogDirectory): Promise<LogStore> {
  if (done.type === 'reopen') {
    await store.close();
    return LogStore.open(directory);
  }
  if (done.type === 'sweep') await store.sweep(new Set(done.live.map((n) => object(n).id)));
  else
    await store.commit({ objects: done.objects.map(object), refs: [{ name: done.ref, value: done.value }] });
  return store;
}

/** The object at place `n` of the pool. */
export function object(n: number): StoredObject {
  return pool[n] ?? sampleObject(0);
}

/** Whether `store` holds all that was promised, and nothing that is false. */
export function keeps(store: LogStore, promised: Promised): boolean {
  const refs = new Map(store.refs(''));
  const sameRefs =
    refs.size === promised.refs.size && [...refs].every(([name, value]) => promised.refs.get(name) === value);
  return sameRefs && [...promised.objects].every((n) => isIntact(store, object(n)));
}

/** Whether the store has exactly these bytes. */
export function isIntact(store: LogStore, { id, bytes }: { id: ObjectId; bytes: Uint8Array }): boolean {
  const found = store.readSync(id);
  return found !== undefined && Buffer.compare(found, bytes) === 0;
}
