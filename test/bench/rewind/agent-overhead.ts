import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

/** Copies Python's library, compiles it and packs it, and says how many nanoseconds that took. */
const build = `begin=$(date +%s%N); rm -rf ~/build; mkdir -p ~/build
cp -r /usr/lib/python3.*/[a-c]* ~/build; python3 -m compileall -q -f ~/build; tar czf ~/build.tgz -C ~ build
echo "built in $(($(date +%s%N) - begin))"`;

/** `agent_overhead`: a build under `supervise`, and in a plain root of the same files on this host, by turns. */
export const agentOverhead: Benchmark<RewindLab> = { keys: ['agent_overhead'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  const cli = await lab.cli();
  const { layer } = await lab.host.bed();
  const root = await mkdtemp(join(tmpdir(), 'coppice-bare-'));
  const [supervisedMs, bareMs]: [number[], number[]] = [[], []];
  try {
    await cp(layer, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    const agent = `echo started; while read -r line; do ${build}; done`;
    await using supervised = cli.start(['supervise', '--user', 'root', '--', 'bash', '-c', agent]);
    await supervised.says('started');
    for (let n = 1; n <= lab.runs + 1; n++) {
      supervised.say('build\n');
      await supervised.says('built in', n);
      await supervised.says('\n', n + 1);
      supervisedMs.push(builtMs(supervised.output()));
      const { stdout } = await promisify(execFile)('chroot', [
        root,
        '/bin/bash',
        '-c',
        `export HOME=/root; ${build}`,
      ]);
      bareMs.push(builtMs(stdout));
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  // The first of each warms up.
  const [ours, theirs] = [median(supervisedMs.slice(1)), median(bareMs.slice(1))];
  return {
    agent_overhead: {
      value: round(ours / theirs),
      details: { supervisedMs: round(ours), bareMs: round(theirs), runs: lab.runs },
    },
  };
}

/** Of the last build in an output. */
function builtMs(output: string): number {
  const nanoseconds = [...output.matchAll(/built in (\d+)/g)].at(-1)?.[1];
  if (nanoseconds === undefined) throw new Error(`There is no build in ${output.slice(-500)}`);
  return Number(nanoseconds) / 1e6;
}
