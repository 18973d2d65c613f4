import { setTimeout as delay } from 'node:timers/promises';
import { openSandbox } from '../../machine/open-sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import { guestWork, medianTook, type Took, timeWork } from '../lab/guest-work.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { round } from '../median.ts';

const roundsInRun = 2;
const perSecond = 20;
/** What one of them still stores when its command has ended is not to be the other's time. */
const settleMs = 1_500;

/** `storing_slowdown`: the guest's work while what runs is recorded and stored as in the tab ÷ with neither, by turns. */
export const storing: Benchmark<LiveLab> = { keys: ['storing_slowdown'], measure };

async function measure(lab: LiveLab): Promise<Figures> {
  await using kept = await openSandbox({ keepsRunning: true });
  await using plain = await openSandbox();
  await kept.checkpoints.configure({ perSecond });
  await plain.checkpoints.configure({ perSecond: 0 });
  const sides = [
    { sandbox: kept, took: [] as Took[] },
    { sandbox: plain, took: [] as Took[] },
  ] as const;
  for (let n = 0; n <= lab.runs * roundsInRun; n++) {
    // By turns, too, which of them is first.
    for (const { sandbox, took } of n % 2 === 0 ? sides : sides.toReversed()) {
      await delay(settleMs);
      const one = await timeWork(() => sandbox.commands.run(guestWork));
      if (n > 0) took.push(one); // The first warms both up.
    }
  }
  const [during, without] = [medianTook(sides[0].took), medianTook(sides[1].took)];
  const { checkpoints } = await kept.checkpoints.list();
  const details = {
    without,
    during,
    cpuRatio: round(during.cpuMs / without.cpuMs),
    checkpoints: checkpoints.length,
    rounds: sides[0].took.length,
    where: 'in Node, a store in memory',
  };
  return { storing_slowdown: { value: round(during.ms / without.ms), details } };
}
