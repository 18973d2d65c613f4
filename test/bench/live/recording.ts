import type { GuestImage, GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { run } from '../../machine/live/open-guest.ts';
import type { Benchmark, Figures } from '../figure.ts';
import { guestWork, medianTook, type Took, timeWork } from '../lab/guest-work.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { median, round } from '../median.ts';

const roundsInRun = 4;
const everyMs = 50;
const keptImages = 20;

/** `recording_slowdown`: the guest's work while it is recorded, 20 checkpoints a second ÷ without, by turns. */
export const recording: Benchmark<LiveLab> = { keys: ['recording_slowdown'], measure };

async function measure(lab: LiveLab): Promise<Figures> {
  await using guest = await lab.guest();
  const plain: Took[] = [];
  const recorded: Took[] = [];
  const pauses: number[] = [];
  const workRecorded = async () => {
    const recorder = record(guest);
    recorded.push(await timeWork(() => run(guest, guestWork)));
    pauses.push(...recorder.stop());
  };
  const workPlain = async () => {
    plain.push(await timeWork(() => run(guest, guestWork)));
  };
  for (let n = 0; n < lab.runs * roundsInRun; n++) {
    // By turns, too, which of them is first.
    const turns = n % 2 === 0 ? [workPlain, workRecorded] : [workRecorded, workPlain];
    for (const turn of turns) await turn();
    if (n > 0) continue; // Warms both up.
    for (const list of [plain, recorded, pauses]) list.length = 0;
  }
  const [without, during] = [medianTook(plain), medianTook(recorded)];
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
