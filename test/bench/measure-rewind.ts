import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import type { BridgeLabOptions } from './lab/bridge-lab.ts';
import { RewindLab } from './lab/rewind-lab.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';
import { agentOverhead } from './rewind/agent-overhead.ts';
import { captureLatency } from './rewind/capture-latency.ts';
import { checkout } from './rewind/checkout.ts';
import { log } from './rewind/log.ts';
import { runCommand } from './rewind/run-command.ts';
import { tournament } from './rewind/tournament.ts';

const benchmarks: readonly Benchmark<RewindLab>[] = [
  captureLatency,
  checkout,
  agentOverhead,
  runCommand,
  log,
  tournament,
];

/** The command line, and agents under it. */
export async function measureRewind(
  keys: readonly FigureKey[],
  options: BridgeLabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new RewindLab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
