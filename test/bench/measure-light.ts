import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import type { LabOptions } from './lab/lab.ts';
import { LightLab } from './lab/light-lab.ts';
import { agreement } from './light/agreement.ts';
import { escalate } from './light/escalate.ts';
import { shellFiles } from './light/files.ts';
import { clone, gitAdd } from './light/git.ts';
import { session } from './light/session.ts';
import { shellSnapshot } from './light/snapshot-cost.ts';
import { start } from './light/start.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';

const benchmarks: readonly Benchmark<LightLab>[] = [
  start,
  agreement,
  shellFiles,
  shellSnapshot,
  session,
  clone,
  gitAdd,
  escalate,
];

/** Shells without a machine, git, and the way from a shell to a machine. */
export async function measureLight(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new LightLab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
