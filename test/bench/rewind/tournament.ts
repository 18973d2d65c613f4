import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Tournament } from '../../../sdk/tournament/tournament-report.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

const candidates = 20;
const jobs = 2;
const workMs = 200;
const test = 'echo 1';

/**
 * `tournament_overhead`: 20 candidates in jails, all of which run to their end, and the same commands as plain processes of the same
 * bash, by turns. What is to be computed is fixed, not for how long: who has less of a processor takes longer.
 */
export const tournament: Benchmark<RewindLab> = { keys: ['tournament_overhead'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  const cli = await lab.cli();
  const { layer } = await lab.host.bed();
  const work = await workOf(layer);
  const [commandMs, raceMs, plainMs]: [number[], number[], number[]] = [[], [], []];
  const words = Array.from({ length: candidates }, () => work);
  const options = ['--json', '--quiet', '--keep', 'none', '--judge', 'best:\\d+', '--jobs', `${jobs}`];
  for (let n = 0; n <= lab.runs; n++) {
    const startMs = performance.now();
    const printed = await cli.run('tournament', ...options, '--test', test, '--', ...words);
    commandMs.push(performance.now() - startMs);
    const { durationMs, candidates: raced }: Tournament = JSON.parse(printed);
    if (!raced.every(({ run, score }) => run?.exitCode === 0 && score === 1))
      throw new Error(`Not all candidates have run to their end: ${printed.slice(0, 2_000)}`);
    raceMs.push(durationMs);
    plainMs.push(await timePlain(work, layer));
  }
  // The first of each warms up.
  const [command, race, plain] = [commandMs, raceMs, plainMs].map((times) => median(times.slice(1)));
  if (command === undefined || race === undefined || plain === undefined)
    throw new Error('Nothing was measured');
  return {
    tournament_overhead: {
      value: round(race / plain),
      details: {
        ...{ raceMs: round(race), plainMs: round(plain), commandMs: round(command) },
        ...{ candidates, jobs, runs: lab.runs },
      },
    },
  };
}

async function timePlain(work: string, layer: string): Promise<number> {
  let left = candidates;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      await runPlain(work, layer);
      await runPlain(test, layer);
    }
  };
  return timed(() => Promise.all(Array.from({ length: jobs }, lane)));
}

/** A loop that keeps a processor busy for `workMs` here, where nobody else wants it. */
async function workOf(layer: string): Promise<string> {
  const loop = (count: number) => `i=0; while (( i++ < ${count} )); do :; done`;
  const tried = 200_000;
  const times: number[] = [];
  for (let n = 0; n < 5; n++) times.push(await timed(() => runPlain(loop(tried), layer)));
  return loop(Math.round((tried * workMs) / Math.min(...times)));
}

/** The bash of the image, as the candidates have it. */
function runPlain(script: string, layer: string): Promise<unknown> {
  return promisify(execFile)('chroot', [layer, '/bin/bash', '-c', script]);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
