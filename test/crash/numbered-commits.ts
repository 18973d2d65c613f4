import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Commit, SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { sampleObject } from '../conformance/sample-objects.ts';

/** Commits that no sweep takes: those of the last so many numbers. */
const liveCommits = 3;
const sweepEvery = 5;

/** Commit `n`: objects of its own, and a ref that names it. */
export function numberedCommit(n: number): Commit {
  const sizes = [100, 40_000, 70_000];
  return {
    objects: sizes.map((sizeBytes, place) => sampleObject(n * sizes.length + place, sizeBytes)),
    refs: [{ name: 'head', value: String(n) }],
  };
}

/** Whether a sweep follows commit `n`. */
export function sweepsAfter(n: number): boolean {
  return n % sweepEvery === 0;
}

/** What a sweep after commit `n` must keep. */
export function liveAfter(n: number): ObjectId[] {
  return liveNumbers(n).flatMap((number) => numberedCommit(number).objects.map(({ id }) => id));
}

/** What is wrong with a store whose commit `acknowledged` is known to be durable; empty when nothing is. */
export async function brokenPromises(store: SandboxStore, acknowledged: number): Promise<string[]> {
  const head = Number(store.ref('head') ?? 0);
  const lost = liveNumbers(head)
    .flatMap((n) => numberedCommit(n).objects)
    .filter(({ id, bytes }) => Buffer.compare(store.readSync(id) ?? Buffer.alloc(0), bytes) !== 0);
  const half = await store.has(numberedCommit(head + 1).objects.map(({ id }) => id));
  return [
    ...(head < acknowledged ? [`commit ${acknowledged} was acknowledged, and ${head} is the last`] : []),
    ...lost.map(({ id }) => `object ${id} is lost`),
    ...[...half].map((id) => `object ${id} is there, and its commit is not`),
  ];
}

function liveNumbers(n: number): number[] {
  return Array.from({ length: Math.min(liveCommits, n) }, (_, back) => n - back);
}
