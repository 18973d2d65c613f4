import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { median, round } from '../median.ts';
import { type StartSide, startCommand } from './start-sides.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'start-process.ts');
const processesInRun = 4;

/** `shell_start_ms`, `shell_start_ratio`: a sandbox and its first command, the second time in a process; by turns with the bare engine. */
export const start: Benchmark<LightLab> = { keys: ['shell_start_ms', 'shell_start_ratio'], measure };

async function measure({ runs }: LightLab): Promise<Figures> {
  const times = { ours: [] as Times[], engine: [] as Times[] };
  for (let n = 0; n <= runs * processesInRun; n++) {
    const [ours, engine] = [await timesOf('ours'), await timesOf('engine')];
    if (n === 0) continue; // It has put the files of both into the kernel's cache.
    times.ours.push(ours);
    times.engine.push(engine);
  }
  const oursMs = median(times.ours.map(({ secondMs }) => secondMs));
  const engineMs = median(times.engine.map(({ secondMs }) => secondMs));
  const details = {
    oursMs: round(oursMs),
    engineMs: round(engineMs),
    firstMs: {
      ours: round(median(times.ours.map(({ firstMs }) => firstMs))),
      engine: round(median(times.engine.map(({ firstMs }) => firstMs))),
    },
    allOursMs: times.ours.map(({ secondMs }) => round(secondMs)),
    allEngineMs: times.engine.map(({ secondMs }) => round(secondMs)),
    command: startCommand,
    where: 'Node, a process each',
  };
  return {
    shell_start_ms: { value: round(oursMs), details },
    shell_start_ratio: { value: round(oursMs / engineMs), details },
  };
}

interface Times {
  readonly firstMs: number;
  readonly secondMs: number;
}

async function timesOf(side: StartSide): Promise<Times> {
  const { stdout } = await run(process.execPath, [program, side]);
  const [firstMs, secondMs]: number[] = JSON.parse(stdout);
  if (firstMs === undefined || secondMs === undefined) throw new Error(`${side} has no times`);
  return { firstMs, secondMs };
}
