import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import type { LabOptions } from './lab/lab.ts';
import { LiveLab } from './lab/live-lab.ts';
import { checkpoint } from './live/checkpoint.ts';
import { diffScaling } from './live/diff-scaling.ts';
import { fork } from './live/fork.ts';
import { forkMemory } from './live/fork-memory.ts';
import { hash } from './live/hash.ts';
import { recording } from './live/recording.ts';
import { reload } from './live/reload.ts';
import { space } from './live/space.ts';
import { storing } from './live/storing.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';

const benchmarks: readonly Benchmark<LiveLab>[] = [
  checkpoint,
  space,
  fork,
  reload,
  forkMemory,
  recording,
  storing,
  hash,
  diffScaling,
];

/** The machine in the tab, saved and put back while it runs. */
export async function measureLive(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new LiveLab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
