import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { runInJail } from '../lab/jail-bed.ts';
import { median, round } from '../median.ts';

const warmUps = 20;
const commandsInRun = 40;
const program = '/bin/true';

/** `exec_ms_ratio`: a program in a running sandbox by the SDK, and the same by `posix_spawn`, by turns. */
export const exec: Benchmark<BridgeLab> = { keys: ['exec_ms_ratio'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  const bed = await lab.bed();
  await using sandbox = await Sandbox.create({ backend: await lab.backend() });
  await using root = await bed.makeRoot();
  await using jail = await bed.startJail(root.mount);
  await using bare = startSpawner(await lab.program('spawn'), bed.layer);
  const times = { bridge: [] as number[], agent: [] as number[], bare: [] as number[] };
  for (let n = 0; n < warmUps + lab.runs * commandsInRun; n++) {
    const bareMs = await bare.timeMs();
    const bridgeMs = await timeMs(() => sandbox.run([program]));
    const agentMs = await timeMs(() => runInJail(jail.client, { command: [program] }));
    if (n < warmUps) continue;
    times.bare.push(bareMs);
    times.bridge.push(bridgeMs);
    times.agent.push(agentMs);
  }
  const bridgeMs = median(times.bridge);
  const bareMs = median(times.bare);
  return {
    exec_ms_ratio: {
      value: round(bridgeMs / bareMs),
      details: {
        bridgeMs: round(bridgeMs),
        bareMs: round(bareMs),
        // Without the bridge, its WebSocket and its look at what the command has changed.
        agentMs: round(median(times.agent)),
        fastestMs: { bridge: round(Math.min(...times.bridge)), bare: round(Math.min(...times.bare)) },
        commands: times.bridge.length,
        program,
      },
    },
  };
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A process that starts `program` among the image's files, on the host, and times it by itself. */
function startSpawner(path: string, root: string): AsyncDisposable & { timeMs: () => Promise<number> } {
  const child = spawn(path, [root, program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, 'close');
  return {
    timeMs: async () => {
      child.stdin.write('go\n');
      const { done, value } = await lines.next();
      if (done) throw new Error('The program that starts programs has ended');
      return Number(value) / 1e6;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
