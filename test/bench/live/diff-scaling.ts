import { run } from '../../machine/live/open-guest.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { median, round } from '../median.ts';
import { percentile } from '../percentile.ts';

const roundsInRun = 16;
const command = 'echo hi > /tmp/f';
/** One to four; a guest of 64 MiB does not boot, for v86 loads the initramfs behind these. */
const sizesMiB = { small: 80, large: 320 };

/** `diff_scaling`: a rewind of a guest with much RAM ÷ of one with little, by turns, after the same command. */
export const diffScaling: Benchmark<LiveLab> = { keys: ['diff_scaling'], measure };

async function measure(lab: LiveLab): Promise<Figures> {
  await using small = await lab.bootedGuest(sizesMiB.small);
  await using large = await lab.bootedGuest(sizesMiB.large);
  const sides = [small, large].map((guest) => ({ guest, times: [] as number[], pages: [] as number[] }));
  for (let n = 0; n <= lab.runs * roundsInRun; n++) {
    for (const { guest, times, pages } of sides) {
      await run(guest, command);
      const image = guest.checkpoint();
      await run(guest, command);
      const rewound = await guest.rewind(image);
      guest.checkpoints?.keepOnly([]);
      if (n < roundsInRun) continue; // The first warm both up.
      times.push(rewound.pausedMs);
      pages.push(rewound.pages);
    }
  }
  const [little = [], much = []] = sides.map(({ times }) => times);
  const [littlePages, muchPages] = sides.map(({ pages }) => median(pages));
  const details = {
    smallMiB: sizesMiB.small,
    smallMs: round(median(little)),
    smallP99Ms: round(percentile(little, 0.99)),
    smallPages: littlePages,
    largeMiB: sizesMiB.large,
    largeMs: round(median(much)),
    largeP99Ms: round(percentile(much, 0.99)),
    largePages: muchPages,
    rounds: little.length,
    where: 'in Node, booted',
  };
  return { diff_scaling: { value: round(median(much) / median(little)), details } };
}
