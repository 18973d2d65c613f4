import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';
import { median, round } from '../median.ts';

const mib = 256;
const command = ['head', '-c', String(mib * 2 ** 20), '/dev/zero'] as const;

/** `ws_bulk_ratio`: what `head` writes to stdout in a sandbox, by WebSocket, and on this host, by a pipe, by turns. */
export const bulk: Benchmark<BridgeLab> = { keys: ['ws_bulk_ratio'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  await using sandbox = await Sandbox.create({ backend: await lab.backend() });
  const times = { bridge: [] as number[], pipe: [] as number[] };
  for (let n = 0; n <= lab.runs; n++) {
    const pipeS = await timePipe();
    const bridgeS = await timeBridge(sandbox);
    if (n === 0) continue; // The first warms both up.
    times.pipe.push(pipeS);
    times.bridge.push(bridgeS);
  }
  const bridgeS = median(times.bridge);
  const pipeS = median(times.pipe);
  return {
    ws_bulk_ratio: {
      value: round(pipeS / bridgeS),
      details: {
        bridgeMibPerS: round(mib / bridgeS),
        pipeMibPerS: round(mib / pipeS),
        allBridgeMibPerS: times.bridge.map((seconds) => round(mib / seconds)),
        allPipeMibPerS: times.pipe.map((seconds) => round(mib / seconds)),
        mib,
        processes: 'the bridge and its client are two processes, and both have work to do',
      },
    },
  };
}

/** Seconds until the program has ended and everything is here. */
async function timeBridge(sandbox: Sandbox): Promise<number> {
  const ended = Promise.withResolvers<void>();
  let bytes = 0;
  const start = performance.now();
  await sandbox.connection.processes.exec({ command }, (event) => {
    if (event.type === 'exit') ended.resolve();
    else bytes += event.bytes.length;
  });
  await ended.promise;
  assertAll(bytes);
  return (performance.now() - start) / 1000;
}

async function timePipe(): Promise<number> {
  const [program, ...args] = command;
  let bytes = 0;
  const start = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (data: Buffer) => {
    bytes += data.length;
  });
  await once(child, 'close');
  assertAll(bytes);
  return (performance.now() - start) / 1000;
}

function assertAll(bytes: number): void {
  if (bytes !== mib * 2 ** 20) throw new Error(`Of ${mib} MiB of output ${bytes} bytes came`);
}
