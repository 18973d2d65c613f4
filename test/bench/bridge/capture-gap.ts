import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figure } from '../figure.ts';
import type { BridgeLab, LabRoots } from '../lab/bridge-lab.ts';
import { startTicking } from '../lab/ticking.ts';
import { median, round } from '../median.ts';

/** Of the file that is written all the time: of a small database. */
const fileMiB = 345;
const watchedMs = 45_000;
const commandsInRun = 20;

/** `capture_gap_ms`, `capture_gap_btrfs_ms`: the longest time in which a program does not run beside one that writes as a database does. */
export const captureGap: Benchmark<BridgeLab> = {
  keys: ['capture_gap_ms'],
  measure: async (lab) => ({ capture_gap_ms: await measureOn('overlay', lab) }),
};

export const captureGapBtrfs: Benchmark<BridgeLab> = {
  keys: ['capture_gap_btrfs_ms'],
  measure: async (lab) => ({ capture_gap_btrfs_ms: await measureOn('btrfs', lab) }),
};

async function measureOn(roots: LabRoots, lab: BridgeLab): Promise<Figure> {
  const program = await lab.program('ticks');
  const backend = await lab.backend(roots);
  await using sandbox = await Sandbox.create({ backend });
  await using quiet = await Sandbox.create({ backend });
  await writePages(sandbox, await lab.program('pages'));
  const options = { program, folder: '/home/user/changed', files: 0 };
  await using ticking = await startTicking(sandbox, options);
  await using beside = await startTicking(quiet, options);
  let captures = 0;
  const unsubscribe = await sandbox.subscribe(({ type }) => {
    if (type === 'snapshot') captures++;
  });
  await Promise.all([ticking.writeFiles(), beside.writeFiles()]);
  await setTimeout(watchedMs);
  const [gapMs, quietGapMs] = await Promise.all([ticking.longestPauseMs(), beside.longestPauseMs()]);
  unsubscribe();
  const commandMs: number[] = [];
  for (let n = 0; n < commandsInRun; n++) {
    const start = performance.now();
    await sandbox.run('true');
    commandMs.push(performance.now() - start);
  }
  return {
    value: round(gapMs),
    details: {
      captures,
      watchedMs,
      fileMiB,
      // What the host itself makes a program wait for.
      gapOfQuietSandboxMs: round(quietGapMs),
      commandMs: round(median(commandMs)),
      longestCommandMs: round(Math.max(...commandMs)),
      seen: 'by a program inside: the longest time between two looks at the clock, 0.25 ms apart',
    },
  };
}

/** Starts programs/pages.c; resolves when its file is there. It ends with the sandbox. */
async function writePages(sandbox: Sandbox, program: string): Promise<void> {
  const inside = '/home/user/pages';
  await sandbox.files.write(inside, await readFile(program), { mode: 0o755 });
  const written = Promise.withResolvers<void>();
  const command = await sandbox.commands.run([inside, '/home/user/database', String(fileMiB)], {
    background: true,
    onStdout: () => written.resolve(),
  });
  void command
    .wait()
    .then(
      ({ stderr }) => written.reject(new Error(`The program that writes has ended: ${stderr}`)),
      written.reject,
    );
  await written.promise;
}
