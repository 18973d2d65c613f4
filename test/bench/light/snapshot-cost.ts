import { ShellMachine } from '../../../runtimes/shell/shell-machine.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { median, round } from '../median.ts';
import { percentile } from '../percentile.ts';
import { createFiles } from '../tab/create-files.ts';

const files = 100_000;
const snapshotsInRun = 400;
/** As many as a history in memory may hold: the next write copies what they share with the tree. */
const keptSnapshots = 64;
const changed = new Uint8Array(100).fill(1);
/** From one changed file to the next: none is near the one before it, and no file comes twice in so many snapshots as are kept. */
const stride = 7_919;

/**
 * `shell_snapshot_us`: how long the machine of a shell takes to be at rest and its tree to be a value, after each change. What
 * the tree shares with a snapshot is copied by the write that comes next: `details` has that one, and the same write once more.
 */
export const shellSnapshot: Benchmark<LightLab> = { keys: ['shell_snapshot_us'], measure };

async function measure({ runs }: LightLab): Promise<Figures> {
  const tree = new LiveTree();
  const created = createFiles(tree, { top: 'files', count: files, bytes: changed });
  await using machine = new ShellMachine(tree);
  const { files: changer } = await machine.running();
  const kept: TreeSnapshot[] = [];
  const times = { snapshot: [] as number[], nextWrite: [] as number[], writeAgain: [] as number[] };
  for (let n = 0; n < snapshotsInRun * (runs + 1); n++) {
    const path = `/${created[(n * stride) % files]?.join('/')}`;
    const nextWriteUs = await timeUs(() => changer.write({ path, bytes: changed.subarray(1) }));
    const writeAgainUs = await timeUs(() => changer.write({ path, bytes: changed.subarray(2) }));
    const snapshotUs = await timeUs(async () => {
      await machine.sync();
      kept[n % keptSnapshots] = tree.snapshot();
    });
    if (n < snapshotsInRun) continue;
    times.snapshot.push(snapshotUs);
    times.nextWrite.push(nextWriteUs);
    times.writeAgain.push(writeAgainUs);
  }
  return {
    shell_snapshot_us: {
      value: round(median(times.snapshot)),
      details: {
        p99Us: round(percentile(times.snapshot, 0.99)),
        nextWriteUs: round(median(times.nextWrite)),
        writeAgainUs: round(median(times.writeAgain)),
        files,
        snapshots: times.snapshot.length,
        where: 'Node',
      },
    },
  };
}

async function timeUs(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) * 1_000;
}
