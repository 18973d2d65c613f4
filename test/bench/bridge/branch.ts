import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figure, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { type BtrfsBranches, openBtrfsBranches } from '../lab/btrfs-branches.ts';
import { createFullSandbox, fillHome, fullSandboxFiles } from '../lab/full-sandbox.ts';
import { type JailBed, runInJail } from '../lab/jail-bed.ts';
import { median, round } from '../median.ts';

const command = ['/bin/echo', 'up'];

/** A full sandbox, and how long forks of it took, ms. */
interface Forked {
  readonly backend: SandboxBackend;
  readonly sandbox: Sandbox;
  readonly forkMs: number[];
  /** Of a snapshot that was forked before. */
  readonly againMs: number[];
}

/**
 * `branch_ratio`, `branch_ratio_overlay`: a fork of a full sandbox to its first output, on btrfs and
 * on an overlay, and a btrfs snapshot with our jail on it, by turns.
 */
export const branch: Benchmark<BridgeLab> = { keys: ['branch_ratio', 'branch_ratio_overlay'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  const bed = await lab.bed();
  await using volume = await openBtrfsBranches(bed.layer);
  await fillVolume(volume, bed);
  await using stack = new AsyncDisposableStack();
  const open = async (backend: SandboxBackend): Promise<Forked> => ({
    backend,
    sandbox: stack.use(await createFullSandbox(backend)),
    forkMs: [],
    againMs: [],
  });
  const btrfs = await open(await lab.backend('btrfs'));
  const overlay = await open(await lab.backend('overlay'));
  const toolMs: number[] = [];
  for (let n = 0; n <= lab.runs; n++) {
    toolMs.push(await timeBtrfs(volume, { bed, name: `branch-${n}` }));
    for (const forked of [btrfs, overlay]) await forkTwice(forked, n);
  }
  return { branch_ratio: figureOf(btrfs, toolMs), branch_ratio_overlay: figureOf(overlay, toolMs) };
}

async function forkTwice({ backend, sandbox, forkMs, againMs }: Forked, n: number): Promise<void> {
  await sandbox.run(`echo ${n} > /home/user/note`);
  forkMs.push(await timeFork(sandbox, { backend }));
  againMs.push(await timeFork(sandbox, { backend, from: await sandbox.history.head() }));
}

/** The first of each warms up. */
function figureOf(
  { forkMs: [, ...forkMs], againMs: [, ...againMs] }: Forked,
  toolMs: readonly number[],
): Figure {
  const [, ...btrfsMs] = toolMs;
  return {
    value: round(median(forkMs) / median(btrfsMs)),
    details: {
      forkMs: round(median(forkMs)),
      // Another fork of the same snapshot.
      againMs: round(median(againMs)),
      btrfsMs: round(median(btrfsMs)),
      allForkMs: forkMs.map((ms) => round(ms)),
      allBtrfsMs: btrfsMs.map((ms) => round(ms)),
      files: fullSandboxFiles,
      fork: 'one file is written, then: snapshot, fork, open, first output of a program, by WebSocket',
      btrfs: '`btrfs subvolume snapshot` of the same files in a loop file, our jail on it, the same program',
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
