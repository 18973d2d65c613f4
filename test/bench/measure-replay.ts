import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import type { LabOptions } from './lab/lab.ts';
import { ReplayLab } from './lab/replay-lab.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';
import { embeds } from './replay/embeds.ts';
import { longReplay } from './replay/long-replay.ts';
import { recordOverhead, recordSize } from './replay/record-cost.ts';
import { takeover } from './replay/takeover.ts';

const benchmarks: readonly Benchmark<ReplayLab>[] = [
  longReplay,
  embeds,
  recordOverhead,
  recordSize,
  takeover,
];

/** Recordings on a bridge, and their player in Chromium, on the built site. */
export async function measureReplay(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new ReplayLab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
