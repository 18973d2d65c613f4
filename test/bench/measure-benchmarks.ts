import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';

/** Measures what `keys` name, one benchmark after the other. One that fails leaves `null` and its reason. */
export async function measureBenchmarks<Lab>(
  benchmarks: readonly Benchmark<Lab>[],
  options: {
    readonly keys: readonly FigureKey[];
    readonly lab: Lab;
    readonly onStart: (keys: readonly FigureKey[]) => void;
  },
): Promise<Figures> {
  const { keys, lab, onStart } = options;
  let figures: Figures = {};
  for (const benchmark of benchmarks) {
    if (!benchmark.keys.some((key) => keys.includes(key))) continue;
    onStart(benchmark.keys);
    figures = { ...figures, ...(await measureOrExplain(benchmark, lab)) };
  }
  return figures;
}

async function measureOrExplain<Lab>(benchmark: Benchmark<Lab>, lab: Lab): Promise<Figures> {
  try {
    return await benchmark.measure(lab);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return Object.fromEntries(benchmark.keys.map((key) => [key, { value: null, details: { reason } }]));
  }
}
