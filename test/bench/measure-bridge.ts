import { branch } from './bridge/branch.ts';
import { bulk } from './bridge/bulk.ts';
import { captureGap, captureGapBtrfs } from './bridge/capture-gap.ts';
import { diff } from './bridge/diff.ts';
import { exec } from './bridge/exec.ts';
import { fiftyJails } from './bridge/fifty-jails.ts';
import { jailStart } from './bridge/jail-start.ts';
import { snapshotPause, snapshotPauseOverlay } from './bridge/snapshot-pause.ts';
import { sync } from './bridge/sync.ts';
import type { Benchmark, Figures } from './figure.ts';
import type { FigureKey } from './goals.ts';
import { BridgeLab, type BridgeLabOptions } from './lab/bridge-lab.ts';
import { measureBenchmarks } from './measure-benchmarks.ts';

const benchmarks: readonly Benchmark<BridgeLab>[] = [
  jailStart,
  fiftyJails,
  exec,
  branch,
  snapshotPause,
  snapshotPauseOverlay,
  captureGap,
  captureGapBtrfs,
  diff,
  sync,
  bulk,
];

/** Sandboxes on this host: its jails, and a bridge. */
export async function measureBridge(
  keys: readonly FigureKey[],
  options: BridgeLabOptions & { onStart: (keys: readonly FigureKey[]) => void },
): Promise<Figures> {
  await using lab = new BridgeLab(options);
  return await measureBenchmarks(benchmarks, { keys, lab, onStart: options.onStart });
}
