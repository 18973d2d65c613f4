import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runTool } from '../../../host/run-tool.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { type JailBed, runInJail } from '../lab/jail-bed.ts';
import { median, round } from '../median.ts';

const warmUps = 3;
/** A start takes milliseconds: so many of each side in one run. */
const startsInRun = 10;
const command = ['/bin/echo', 'up'];
const bubblewrapProgram = 'bwrap';

/** `jail_start_ratio`: a jail of ours to a program's first output byte, and bubblewrap to the same, by turns. */
export const jailStart: Benchmark<BridgeLab> = { keys: ['jail_start_ratio'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  const bubblewrap = await bubblewrapVersion();
  const bed = await lab.bed();
  const times = { readyMs: [] as number[], oursMs: [] as number[], bubblewrapMs: [] as number[] };
  for (let n = 0; n < warmUps + lab.runs * startsInRun; n++) {
    const bubblewrapMs = await timeBubblewrap(bed.layer);
    const ours = await timeOurs(bed);
    if (n < warmUps) continue;
    times.bubblewrapMs.push(bubblewrapMs);
    times.readyMs.push(ours.readyMs);
    times.oursMs.push(ours.firstMs);
  }
  const oursMs = median(times.oursMs);
  const bubblewrapMs = median(times.bubblewrapMs);
  return {
    jail_start_ratio: {
      value: round(oursMs / bubblewrapMs),
      details: {
        oursMs: round(oursMs),
        oursReadyMs: round(median(times.readyMs)),
        bubblewrapMs: round(bubblewrapMs),
        fastestMs: {
          ours: round(Math.min(...times.oursMs)),
          bubblewrap: round(Math.min(...times.bubblewrapMs)),
        },
        starts: times.oursMs.length,
        bubblewrap,
        started: 'ours by the process that starts programs for a bridge, bubblewrap by Node itself',
        both: 'seven new namespaces, no capabilities, own /dev, /proc and session, ends with its parent',
        oursOnly:
          'writable overlay root, ids of its own, seccomp filter, control groups, rlimits, masked /proc, test of its walls, exec agent',
      },
    },
  };
}

/** The jail, its agent's hello, and a program that says something. */
async function timeOurs(bed: JailBed): Promise<{ readyMs: number; firstMs: number }> {
  await using root = await bed.makeRoot();
  const start = performance.now();
  await using jail = await bed.startJail(root.mount);
  const readyMs = performance.now() - start;
  return { readyMs, firstMs: (await runInJail(jail.client, { command })) - start };
}

/** As much of what our jails have as bubblewrap does by options; its root is bound, since 0.8 makes no overlay. */
const walls = [
  ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
  ...[
    '--hostname',
    'bench',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/run',
    '--tmpfs',
    '/tmp',
    '--chdir',
    '/',
  ],
];

async function timeBubblewrap(root: string): Promise<number> {
  const start = performance.now();
  const child = spawn(bubblewrapProgram, ['--ro-bind', root, '/', ...walls, '--', ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let firstMs = Number.NaN;
  child.stdout.once('data', () => {
    firstMs = performance.now() - start;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`bubblewrap does not start a program here (${code})`);
  return firstMs;
}

async function bubblewrapVersion(): Promise<string> {
  try {
    return (await runTool([bubblewrapProgram, '--version'])).trim();
  } catch (cause) {
    throw new Error('There is no bubblewrap to compare with: apt-get install bubblewrap', { cause });
  }
}
