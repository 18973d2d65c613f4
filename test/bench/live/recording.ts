import type { GuestImage, GuestMachine } from '../../../web/worker/guest-machine.ts';
import { run } from '../../machine/live/open-guest.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { median, round } from '../median.ts';
import { percentile } from '../percentile.ts';

const roundsInRun = 4;
const everyMs = 50;
const keptImages = 20;
/** About a second of a processor: a shell's loop, pipes, files and processes. */
const work = `i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
seq 1 20000 | sort -r | md5sum
mkdir /tmp/w; for i in 1 2 3 4 5 6 7 8 9; do seq 1 500 > /tmp/w/$i; cat /tmp/w/* | wc -l; done; rm -r /tmp/w`;

/** `recording_slowdown`: the guest's work while it is recorded, 20 checkpoints a second ÷ without, by turns. */
export const recording: Benchmark<LiveLab> = { keys: ['recording_slowdown'], measure };

async function measure(lab: LiveLab): Promise<Figures> {
  await using guest = await lab.guest();
  const plain: number[] = [];
  const recorded: number[] = [];
  const pauses: number[] = [];
  let checkpoints = 0;
  for (let n = 0; n <= lab.runs * roundsInRun; n++) {
    const plainMs = await workMs(guest);
    const recorder = record(guest);
    const recordedMs = await workMs(guest);
    const taken = recorder.stop();
    if (n < roundsInRun) continue; // The first warm both up.
    plain.push(plainMs);
    recorded.push(recordedMs);
    pauses.push(...taken);
    checkpoints += taken.length;
  }
  const details = {
    plainMs: round(median(plain)),
    plainP99Ms: round(percentile(plain, 0.99)),
    recordedMs: round(median(recorded)),
    recordedP99Ms: round(percentile(recorded, 0.99)),
    pauseMs: round(median(pauses)),
    checkpointsPerSecond: round((checkpoints * 1000) / recorded.reduce((sum, ms) => sum + ms, 0)),
    rounds: plain.length,
    where: 'in Node',
  };
  return { recording_slowdown: { value: round(median(recorded) / median(plain)), details } };
}

async function workMs(guest: GuestMachine): Promise<number> {
  const start = performance.now();
  await run(guest, work);
  return performance.now() - start;
}

/** Takes checkpoints until it is stopped, and keeps the last ones. */
function record(guest: GuestMachine): { stop(): readonly number[] } {
  const pauses: number[] = [];
  let images: GuestImage[] = [];
  const timer = setInterval(() => {
    const start = performance.now();
    images.push(guest.checkpoint());
    pauses.push(performance.now() - start);
    if (images.length < 2 * keptImages) return;
    images = images.slice(keptImages);
    guest.checkpoints?.keepOnly(images.map(({ machine }) => machine));
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return pauses;
    },
  };
}
