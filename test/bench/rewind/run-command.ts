import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

/** `run_ms_ratio`: `coppice run true` in a new jail, and what people would use instead: a Node that starts and a bwrap, by turns. */
export const runCommand: Benchmark<RewindLab> = { keys: ['run_ms_ratio'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  const cli = await lab.cli();
  const { layer } = await lab.host.bed();
  const [runMs, shellMs, bareMs]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n <= lab.runs; n++) {
    runMs.push(await timed(() => cli.run('run', 'true')));
    shellMs.push(await timed(() => cli.run('run', '--runtime', 'shell', 'true')));
    bareMs.push(await timed(() => runBare(layer)));
  }
  // The first of each warms up.
  const [ours, shell, theirs] = [runMs, shellMs, bareMs].map((times) => median(times.slice(1)));
  if (ours === undefined || shell === undefined || theirs === undefined)
    throw new Error('Nothing was measured');
  return {
    run_ms_ratio: {
      value: round(ours / theirs),
      details: { runMs: round(ours), shellMs: round(shell), bareMs: round(theirs), runs: lab.runs },
    },
  };
}

async function runBare(layer: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['-e', '0']);
  const walls = ['--unshare-all', '--ro-bind', layer, '/', '--proc', '/proc', '--dev', '/dev'];
  await promisify(execFile)('bwrap', [...walls, '/bin/true']);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
