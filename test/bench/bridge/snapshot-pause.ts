import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figure } from '../figure.ts';
import type { BridgeLab, LabRoots } from '../lab/bridge-lab.ts';
import { startTicking } from '../lab/ticking.ts';
import { median, round } from '../median.ts';

const files = 400;
const snapshotsInRun = 4;

/** `snapshot_pause_ms`: how long a program that has changed 400 files does not run while a snapshot is taken. */
export const snapshotPause: Benchmark<BridgeLab> = {
  keys: ['snapshot_pause_ms'],
  measure: async (lab) => ({ snapshot_pause_ms: await measureOn('btrfs', lab) }),
};

/** `snapshot_pause_overlay_ms`: the same without btrfs. */
export const snapshotPauseOverlay: Benchmark<BridgeLab> = {
  keys: ['snapshot_pause_overlay_ms'],
  measure: async (lab) => ({ snapshot_pause_overlay_ms: await measureOn('overlay', lab) }),
};

async function measureOn(roots: LabRoots, lab: BridgeLab): Promise<Figure> {
  const program = await lab.program('ticks');
  const backend = await lab.backend(roots);
  await using sandbox = await Sandbox.create({ backend });
  await using ticking = await startTicking(sandbox, { program, folder: '/home/user/changed', files });
  const times = { pauseMs: [] as number[], snapshotMs: [] as number[] };
  const wanted = lab.runs * snapshotsInRun;
  for (let n = 0; times.pauseMs.length < wanted; n++) {
    if (n > 2 * wanted) throw new Error('Too few snapshots have all of the changes');
    await ticking.writeFiles();
    const start = performance.now();
    const { changes } = await sandbox.createSnapshot();
    const snapshotMs = performance.now() - start;
    const pauseMs = await ticking.longestPauseMs();
    if (n === 0) continue; // There, files are new; and it is the warm-up.
    // A snapshot that the sandbox took by itself has some of them: the pause was not for all.
    if (changes.created + changes.modified < files) continue;
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
