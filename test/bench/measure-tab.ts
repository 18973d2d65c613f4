import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import { Lab, type LabOptions } from './lab/lab.ts';
import { commit } from './tab/commit.ts';
import { firstVisit } from './tab/first-visit.ts';
import { firstWrite } from './tab/first-write.ts';
import { guestFiles } from './tab/guest-files.ts';
import { snapshotCost } from './tab/snapshot-cost.ts';
import { start } from './tab/start.ts';

const benchmarks: readonly Benchmark[] = [snapshotCost, firstWrite, commit, guestFiles, start, firstVisit];

/** Measures what `keys` name, one benchmark after the other. One that fails leaves `null` and its reason. */
export async function measureTab(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new Lab(options);
  let figures: Figures = {};
  for (const benchmark of benchmarks) {
    if (!benchmark.keys.some((key) => keys.includes(key))) continue;
    options.onStart(benchmark.keys);
    figures = { ...figures, ...(await measureOrExplain(benchmark, lab)) };
  }
  return figures;
}

async function measureOrExplain(benchmark: Benchmark, lab: Lab): Promise<Figures> {
  try {
    return await benchmark.measure(lab);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return Object.fromEntries(benchmark.keys.map((key) => [key, { value: null, details: { reason } }]));
  }
}
