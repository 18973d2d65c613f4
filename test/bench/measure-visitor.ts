import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import { Lab, type LabOptions } from './lab/lab.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';
import { createdFiles } from './visitor/created-files.ts';
import { firefox, firstMinute } from './visitor/first-minute.ts';
import { hourOfWork } from './visitor/hour-of-work.ts';
import { longUse } from './visitor/long-use.ts';

const benchmarks: readonly Benchmark<Lab>[] = [firstMinute, firefox, createdFiles, hourOfWork, ...longUse];

/** What the machine in the tab does in a browser at its default settings. */
export async function measureVisitor(
  keys: readonly FigureKey[],
  options: LabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new Lab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
