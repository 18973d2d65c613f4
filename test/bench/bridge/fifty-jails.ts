import type { Root } from '../../../bridge-server/contract.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import type { BenchJail, JailBed } from '../lab/jail-bed.ts';
import { descendants, proportionalMib } from '../lab/process-memory.ts';
import { median, round } from '../median.ts';

const jails = 50;

/** `jails_50_s`, `jail_mib`: fifty jails at a time on roots that are there, until every agent has said hello. */
export const fiftyJails: Benchmark<BridgeLab> = { keys: ['jails_50_s', 'jail_mib'], measure };

interface Round {
  readonly rootsS: number;
  readonly upS: number;
  readonly goneS: number;
  readonly mib: number;
  readonly processes: number;
}

async function measure(lab: BridgeLab): Promise<Figures> {
  const bed = await lab.bed();
  const rounds: Round[] = [];
  for (let n = 0; n < lab.runs; n++) rounds.push(await measureRound(bed));
  const middle = (key: keyof Round) => round(median(rounds.map((one) => one[key])));
  return {
    jails_50_s: {
      value: middle('upS'),
      details: {
        rootsS: middle('rootsS'),
        goneS: middle('goneS'),
        allS: rounds.map(({ upS }) => round(upS)),
      },
    },
    jail_mib: {
      value: middle('mib'),
      details: {
        processes: middle('processes'),
        jails,
        counted: 'proportional set size of what runs for a jail: its launcher and its PID 1',
      },
    },
  };
}

async function measureRound(bed: JailBed): Promise<Round> {
  await using stack = new AsyncDisposableStack();
  const begin = performance.now();
  const roots: Root[] = await Promise.all(times(async () => stack.use(await bed.makeRoot())));
  const before = new Set(await descendants(process.pid));
  const start = performance.now();
  const started = await Promise.allSettled(roots.map(({ mount }) => bed.startJail(mount)));
  const up = performance.now();
  const running: BenchJail[] = [];
  for (const one of started) if (one.status === 'fulfilled') running.push(stack.use(one.value));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const processes = (await descendants(process.pid)).filter((pid) => !before.has(pid));
  const sizesMib = await Promise.all(processes.map(proportionalMib));
  const end = performance.now();
  await Promise.all(running.map((jail) => jail[Symbol.asyncDispose]()));
  return {
    rootsS: (start - begin) / 1000,
    upS: (up - start) / 1000,
    goneS: (performance.now() - end) / 1000,
    mib: sizesMib.reduce((sum, mib) => sum + mib, 0) / jails,
    processes: processes.length,
  };
}

function times<T>(make: () => Promise<T>): Promise<T>[] {
  return Array.from({ length: jails }, make);
}
