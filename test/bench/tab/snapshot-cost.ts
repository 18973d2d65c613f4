import { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { median, round } from '../median.ts';
import { createFiles } from './create-files.ts';

const small = 1_000;
const large = 100_000;
const batches = 200;
const batchSnapshots = 2_000;
const nothing = new LiveTree().snapshot();

/** `snapshot_us` and `snapshot_scale`: `LiveTree.snapshot()` on a small and on a large tree by turns. */
export const snapshotCost: Benchmark<Lab> = { keys: ['snapshot_us', 'snapshot_scale'], measure };

async function measure(): Promise<Figures> {
  const trees = { small: new LiveTree(), large: new LiveTree() };
  createFiles(trees.small, { top: 'files', count: small });
  createFiles(trees.large, { top: 'files', count: large });
  const times = { loop: [] as number[], small: [] as number[], large: [] as number[] };
  for (let batch = 0; batch < 2 * batches; batch++) {
    const loopUs = timeBatch(() => nothing);
    const smallUs = timeBatch(() => trees.small.snapshot());
    const largeUs = timeBatch(() => trees.large.snapshot());
    if (batch < batches) continue; // The first half warms the compiler up.
    times.loop.push(loopUs);
    times.small.push(smallUs);
    times.large.push(largeUs);
  }
  const loopUs = median(times.loop);
  const smallUs = median(times.small) - loopUs;
  const largeUs = median(times.large) - loopUs;
  const details = {
    smallUs: round(smallUs),
    largeUs: round(largeUs),
    emptyLoopUs: round(loopUs),
    files: [small, large],
    batches,
    batchSnapshots,
    where: 'Node',
  };
  return {
    snapshot_us: { value: round(largeUs), details },
    snapshot_scale: { value: round(largeUs / smallUs), details },
  };
}

/** The last results: a history holds them too, and the compiler cannot leave out what made them. */
const kept: TreeSnapshot[] = new Array(64).fill(new LiveTree().snapshot());

/** Microseconds of one call, over a batch: one alone is shorter than the clock's step. */
function timeBatch(work: () => TreeSnapshot): number {
  const start = performance.now();
  for (let n = 0; n < batchSnapshots; n++) kept[n % kept.length] = work();
  return ((performance.now() - start) * 1000) / batchSnapshots;
}
