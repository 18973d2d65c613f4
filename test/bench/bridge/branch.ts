import type { SandboxBackend } from '../../../protocol/sandbox.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { type BtrfsBranches, openBtrfsBranches } from '../lab/btrfs-branches.ts';
import { createFullSandbox, fillHome, fullSandboxFiles } from '../lab/full-sandbox.ts';
import { type JailBed, runInJail } from '../lab/jail-bed.ts';
import { median, round } from '../median.ts';

const command = ['/bin/echo', 'up'];

/** `branch_ratio`: a fork of a full sandbox to its first output, and a btrfs snapshot with our jail on it, by turns. */
export const branch: Benchmark<BridgeLab> = { keys: ['branch_ratio'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  const bed = await lab.bed();
  await using volume = await openBtrfsBranches(bed.layer);
  await fillVolume(volume, bed);
  const backend = await lab.backend();
  await using sandbox = await createFullSandbox(backend);
  const times = { forkMs: [] as number[], againMs: [] as number[], btrfsMs: [] as number[] };
  for (let n = 0; n <= lab.runs; n++) {
    const btrfsMs = await timeBtrfs(volume, { bed, name: `branch-${n}` });
    await sandbox.run(`echo ${n} > /home/user/note`);
    const forkMs = await timeFork(sandbox, { backend });
    const againMs = await timeFork(sandbox, { backend, from: await sandbox.history.head() });
    if (n === 0) continue; // The first warms both up.
    times.btrfsMs.push(btrfsMs);
    times.forkMs.push(forkMs);
    times.againMs.push(againMs);
  }
  const forkMs = median(times.forkMs);
  const btrfsMs = median(times.btrfsMs);
  return {
    branch_ratio: {
      value: round(forkMs / btrfsMs),
      details: {
        forkMs: round(forkMs),
        // Another fork of the same snapshot: its layer is there.
        againMs: round(median(times.againMs)),
        btrfsMs: round(btrfsMs),
        allForkMs: times.forkMs.map((ms) => round(ms)),
        allBtrfsMs: times.btrfsMs.map((ms) => round(ms)),
        files: fullSandboxFiles,
        fork: 'one file is written, then: snapshot, fork, open, first output of a program, by WebSocket',
        btrfs:
          '`btrfs subvolume snapshot` of the same files in a loop file, our jail on it, the same program',
      },
    },
  };
}

async function fillVolume(volume: BtrfsBranches, bed: JailBed): Promise<void> {
  await using jail = await bed.startJail({ type: 'bind', path: volume.base });
  await runInJail(jail.client, { command: fillHome, user: 'root' });
}

async function timeBtrfs(
  volume: BtrfsBranches,
  { bed, name }: { bed: JailBed; name: string },
): Promise<number> {
  const start = performance.now();
  const path = await volume.branch(name);
  try {
    await using jail = await bed.startJail({ type: 'bind', path });
    return (await runInJail(jail.client, { command })) - start;
  } finally {
    await volume.remove(path);
  }
}

async function timeFork(
  sandbox: Sandbox,
  { backend, from }: { backend: SandboxBackend; from?: string },
): Promise<number> {
  const start = performance.now();
  const [fork] = await sandbox.fork(from === undefined ? {} : { from });
  if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
  try {
    let firstMs = Number.NaN;
    await fork.run(command, {
      onStdout: () => {
        firstMs = performance.now();
      },
    });
    return firstMs - start;
  } finally {
    await fork.close();
    await Sandbox.delete(fork.id, { backend });
  }
}
