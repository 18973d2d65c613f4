import { limits } from '../../../protocol/limits.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

/** A hundred megabytes beside the two hundred of the image. */
const fill =
  'mkdir ~/data; for n in $(seq 1600); do head -c 65536 /dev/urandom > ~/data/$n; done; touch ~/stamp';

/** What nobody runs any more: it says when it has changed a file, again and again, long after it was captured. */
const writer = 'while :; do sleep 2; date +%s%N > ~/stamp; done';

/** `capture_latency_ms`: from a change in the background until its snapshot is durable, without the quiet time before. */
export const captureLatency: Benchmark<RewindLab> = { keys: ['capture_latency_ms'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  await using sandbox = await Sandbox.create({ backend: await lab.host.backend('overlay') });
  await sandbox.run(fill);
  await sandbox.createSnapshot();
  const latencies: number[] = [];
  const { promise: isDone, resolve, reject } = Promise.withResolvers<void>();
  const unsubscribe = await sandbox.subscribe((event) => {
    if (event.type !== 'snapshot' || !event.snapshot.changes.paths.includes('/home/user/stamp')) return;
    const atMs = performance.timeOrigin + performance.now();
    sandbox.files
      .read('/home/user/stamp', { at: event.snapshot.id })
      .then((stamp) => {
        if (stamp === '') return;
        latencies.push(atMs - Number(stamp) / 1e6 - limits.captureQuietMs);
        // The first warms up.
        if (latencies.length > lab.runs) resolve();
      })
      .catch(reject);
  });
  await sandbox.run(`(${writer}) > /dev/null 2>&1 &`);
  await isDone;
  unsubscribe();
  const { watch } = await sandbox.report();
  return {
    capture_latency_ms: {
      value: round(median(latencies.slice(1))),
      details: { runs: lab.runs, watchedBy: watch?.by, root: 'the image debian and 100 MB in 1,600 files' },
    },
  };
}
