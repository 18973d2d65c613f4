import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { createFullSandbox, fullSandboxFiles } from '../lab/full-sandbox.ts';
import { startTicking } from '../lab/ticking.ts';
import { median, round } from '../median.ts';

const changedFiles = 400;
const diffsInRun = 4;

/** `diff_ms`: what a user has changed since the last snapshot, asked for over WebSocket. */
export const diff: Benchmark<BridgeLab> = { keys: ['diff_ms'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  const program = await lab.program('ticks');
  await using sandbox = await createFullSandbox(await lab.backend());
  await using ticking = await startTicking(sandbox, {
    program,
    folder: '/home/user/changed',
    files: changedFiles,
  });
  const times = { nowMs: [] as number[], storedMs: [] as number[] };
  let before = await sandbox.createSnapshot();
  for (let n = 0; n <= lab.runs * diffsInRun; n++) {
    await ticking.writeFiles();
    const nowMs = await timeDiff(() => sandbox.diff(before.id, 'now'));
    const after = await sandbox.createSnapshot();
    const storedMs = await timeDiff(() => sandbox.diff(before.id, after.id));
    await ticking.longestPauseMs();
    before = after;
    if (n === 0) continue; // There, files are new; and it is the warm-up.
    times.nowMs.push(nowMs);
    times.storedMs.push(storedMs);
  }
  return {
    diff_ms: {
      value: round(median(times.nowMs)),
      details: {
        allMs: times.nowMs.map((ms) => round(ms)),
        // The same changes between two snapshots: nothing has to be read from the sandbox's disk.
        betweenSnapshotsMs: round(median(times.storedMs)),
        changedFiles,
        files: fullSandboxFiles,
        counted: 'reading what has changed from the disk of the running sandbox, and the way to the client',
      },
    },
  };
}

async function timeDiff(ask: () => Promise<readonly unknown[]>): Promise<number> {
  const start = performance.now();
  const changes = await ask();
  const ms = performance.now() - start;
  if (changes.length < changedFiles)
    throw new Error(`Of ${changedFiles} changes ${changes.length} were found`);
  return ms;
}
