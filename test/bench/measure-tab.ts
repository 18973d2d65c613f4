import type { Benchmark, Figures } from './figure.ts';
import { type FigureKey, liftoffKey } from './goals.ts';
import type { V8Flags } from './lab/chromium.ts';
import { type BrowserLab, Lab, type LabOptions } from './lab/lab.ts';
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
  ...[commit, guestFiles, start, firstVisit].flatMap(withEitherV8),
];

/** The machine in the tab. */
export async function measureTab(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new Lab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}

/** A benchmark in Chromium, as a visitor has it and, under other keys, with the flag that the tests give V8. */
function withEitherV8({ keys, measure }: Benchmark<BrowserLab>): Benchmark<Lab>[] {
  return [
    { keys, measure: async (lab) => labelled(await measure(lab.withV8('default')), { v8: 'default' }) },
    {
      keys: keys.map(liftoffKey),
      measure: async (lab) =>
        labelled(await measure(lab.withV8('liftoff-only')), { v8: 'liftoff-only', keyOf: liftoffKey }),
    },
  ];
}

/** Figures under their keys, with the flags of V8 in their details. */
function labelled(
  figures: Figures,
  { v8, keyOf = (key) => key }: { readonly v8: V8Flags; readonly keyOf?: (key: FigureKey) => FigureKey },
): Figures {
  const entries = Object.entries(figures).map(([key, { value, details }]) => [
    keyOf(key as FigureKey),
    { value, details: { ...details, v8 } },
  ]);
  return Object.fromEntries(entries) as Figures;
}
