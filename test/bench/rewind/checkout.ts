import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { askControl, connectControl } from '../../../cli/control/control-client.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

/** It says when it runs, and changes a file each time that it is told to. */
const agent = 'echo started; while read -r line; do echo "$line" > ~/work; echo "did $line"; done';

/** `checkout_ratio`: `ctl checkout` until the agent has started again, and a copy of all files, by turns. */
export const checkout: Benchmark<RewindLab> = { keys: ['checkout_ratio'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  const cli = await lab.cli();
  const { layer } = await lab.host.bed();
  await using supervised = cli.start(['supervise', '--', 'bash', '-c', agent]);
  await supervised.says('started');
  const socket = await connectControl(cli.folder);
  if (!socket) throw new Error('The supervisor does not answer');
  const [checkoutMs, copyMs]: [number[], number[]] = [[], []];
  try {
    const { id } = (await askControl(socket, { op: 'commit' })) as { id: string };
    for (let n = 1; n <= lab.runs + 1; n++) {
      supervised.say(`${n}\n`);
      await supervised.says(`did ${n}`);
      const startMs = performance.now();
      await askControl(socket, { op: 'checkout', fields: { snapshot: id } });
      await supervised.says('started', n + 1);
      checkoutMs.push(performance.now() - startMs);
      copyMs.push(await timeCopy(layer));
    }
  } finally {
    socket.destroy();
  }
  // The first of each warms up.
  const [ours, theirs] = [median(checkoutMs.slice(1)), median(copyMs.slice(1))];
  return {
    checkout_ratio: {
      value: round(ours / theirs),
      details: { checkoutMs: round(ours), copyMs: round(theirs), runs: lab.runs, root: 'the image debian' },
    },
  };
}

/** Beside the files that are copied, so that blocks can be shared where the file system can. */
async function timeCopy(layer: string): Promise<number> {
  const folder = await mkdtemp(join(dirname(layer), 'copy-'));
  try {
    const startMs = performance.now();
    await promisify(execFile)('cp', ['-a', '--reflink=auto', layer, folder]);
    return performance.now() - startMs;
  } finally {
    await rm(folder, { recursive: true });
  }
}
