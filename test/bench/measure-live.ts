import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import { LiveLab, type LiveLabOptions } from './lab/live-lab.ts';
import { checkpoint } from './live/checkpoint.ts';
import { diffScaling } from './live/diff-scaling.ts';
import { hash } from './live/hash.ts';
import { recording } from './live/recording.ts';
import { space } from './live/space.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';

const benchmarks: readonly Benchmark<LiveLab>[] = [checkpoint, space, recording, hash, diffScaling];

/** The machine in the tab, saved and put back while it runs. */
export function measureLive(
  keys: readonly FigureKey[],
  options: LiveLabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  return measureBenchmarks(benchmarks, { keys, lab: new LiveLab(options), onStart: options.onStart });
}
