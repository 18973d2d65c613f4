import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Tournament } from '../../../sdk/tournament/tournament-report.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

const candidates = 20;
const jobs = 2;
/** Keeps a processor busy for 0.2 s. */
const work = `end=$(( \${EPOCHREALTIME/./} + 200000 )); while (( \${EPOCHREALTIME/./} < end )); do :; done`;
const test = 'echo 1';

/** `tournament_overhead`: 20 candidates in jails, all of which run to their end, and the same commands as plain processes, by turns. */
export const tournament: Benchmark<RewindLab> = { keys: ['tournament_overhead'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  const cli = await lab.cli();
  const [commandMs, raceMs, plainMs]: [number[], number[], number[]] = [[], [], []];
  const words = Array.from({ length: candidates }, () => work);
  const options = ['--json', '--quiet', '--keep', 'none', '--judge', 'best:\\d+', '--jobs', `${jobs}`];
  for (let n = 0; n <= lab.runs; n++) {
    const startMs = performance.now();
    const printed = await cli.run('tournament', ...options, '--test', test, '--', ...words);
    commandMs.push(performance.now() - startMs);
    const { durationMs, winner }: Tournament = JSON.parse(printed);
    if (winner === undefined) throw new Error(`Nobody has won: ${printed}`);
    raceMs.push(durationMs);
    plainMs.push(await timePlain());
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

async function timePlain(): Promise<number> {
  const startMs = performance.now();
  let left = candidates;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      await promisify(execFile)('bash', ['-c', work]);
      await promisify(execFile)('bash', ['-c', test]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  return performance.now() - startMs;
}
