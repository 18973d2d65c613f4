import type { SandboxBackend } from '../../../protocol/sandbox.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figure, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { startTicking } from '../lab/ticking.ts';
import { median, round } from '../median.ts';

const files = 400;
const snapshotsInRun = 4;

/**
 * `snapshot_pause_ms`, `snapshot_pause_overlay_ms`: how long a program that has changed 400 files does
 * not run while a snapshot is taken, on btrfs and on an overlay.
 */
export const snapshotPause: Benchmark<BridgeLab> = {
  keys: ['snapshot_pause_ms', 'snapshot_pause_overlay_ms'],
  measure,
};

async function measure(lab: BridgeLab): Promise<Figures> {
  return {
    snapshot_pause_ms: await measureOn(await lab.backend('btrfs'), lab),
    snapshot_pause_overlay_ms: await measureOn(await lab.backend('overlay'), lab),
  };
}

async function measureOn(backend: SandboxBackend, lab: BridgeLab): Promise<Figure> {
  const program = await lab.program('ticks');
  await using sandbox = await Sandbox.create({ backend });
  await using ticking = await startTicking(sandbox, { program, folder: '/home/user/changed', files });
  const times = { pauseMs: [] as number[], snapshotMs: [] as number[] };
  for (let n = 0; n <= lab.runs * snapshotsInRun; n++) {
    await ticking.writeFiles();
    const start = performance.now();
    const { changes } = await sandbox.createSnapshot();
    const snapshotMs = performance.now() - start;
    const pauseMs = await ticking.longestPauseMs();
    if (changes.created + changes.modified < files)
      throw new Error('The snapshot has not all of the changes');
    if (n === 0) continue; // There, files are new; and it is the warm-up.
    times.pauseMs.push(pauseMs);
    times.snapshotMs.push(snapshotMs);
  }
  return {
    value: round(median(times.pauseMs)),
    details: {
      allMs: times.pauseMs.map((ms) => round(ms)),
      // Until the client knows that it is durable.
      snapshotMs: round(median(times.snapshotMs)),
      files,
      seen: 'by a program inside: the longest time between two looks at the clock, 0.25 ms apart',
    },
  };
}
