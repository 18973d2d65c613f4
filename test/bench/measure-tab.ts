import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import { Lab, type LabOptions } from './lab/lab.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';
import { commit } from './tab/commit.ts';
import { firstVisit } from './tab/first-visit.ts';
import { firstWrite } from './tab/first-write.ts';
import { guestFiles } from './tab/guest-files.ts';
import { snapshotCost } from './tab/snapshot-cost.ts';
import { start } from './tab/start.ts';

const benchmarks: readonly Benchmark<Lab>[] = [
  snapshotCost,
  firstWrite,
  commit,
  guestFiles,
  start,
  firstVisit,
];

/** The machine in the tab. */
export async function measureTab(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new Lab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
