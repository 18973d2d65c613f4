import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import { Lab, type LabOptions } from './lab/lab.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';
import { embeds } from './replay/embeds.ts';
import { longReplay } from './replay/long-replay.ts';

const benchmarks: readonly Benchmark<Lab>[] = [longReplay, embeds];

/** Recordings and their player, in Chromium, on the built site. */
export async function measureReplay(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new Lab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
