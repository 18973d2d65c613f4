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

/** How long the work took, and how much of that this thread had a processor. */
interface Took {
  readonly ms: number;
  readonly cpuMs: number;
}

async function measure(lab: LiveLab): Promise<Figures> {
  await using guest = await lab.guest();
  const plain: Took[] = [];
  const recorded: Took[] = [];
  const pauses: number[] = [];
  const workRecorded = async () => {
    const recorder = record(guest);
    recorded.push(await doWork(guest));
    pauses.push(...recorder.stop());
  };
  const workPlain = async () => {
    plain.push(await doWork(guest));
  };
  for (let n = 0; n < lab.runs * roundsInRun; n++) {
    // By turns, too, which of them is first.
    const turns = n % 2 === 0 ? [workPlain, workRecorded] : [workRecorded, workPlain];
    for (const turn of turns) await turn();
    if (n > 0) continue; // Warms both up.
    for (const list of [plain, recorded, pauses]) list.length = 0;
  }
  const medians = (took: readonly Took[]) => ({
    ms: round(median(took.map(({ ms }) => ms))),
    cpuMs: round(median(took.map(({ cpuMs }) => cpuMs))),
    p99Ms: round(
      percentile(
        took.map(({ ms }) => ms),
        0.99,
      ),
    ),
  });
  const [without, during] = [medians(plain), medians(recorded)];
  const details = {
    without,
    during,
    // What the processors had for others shows in the value, and not in this.
    cpuRatio: round(during.cpuMs / without.cpuMs),
    pauseMs: round(median(pauses)),
    checkpointsPerSecond: round((pauses.length * 1000) / recorded.reduce((sum, { ms }) => sum + ms, 0)),
    rounds: plain.length,
    where: 'in Node',
  };
  return { recording_slowdown: { value: round(during.ms / without.ms), details } };
}

async function doWork(guest: GuestMachine): Promise<Took> {
  const [start, before] = [performance.now(), process.threadCpuUsage()];
  await run(guest, work);
  const { user, system } = process.threadCpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
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
