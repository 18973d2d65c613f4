import type { Benchmark, Figures } from '../figure.ts';
import { forkInto, openParent, untilReady } from '../lab/fork-page.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { rendererMemory } from '../lab/renderer-memory.ts';
import { median, round } from '../median.ts';

const forksOfOne = 2;
/** A fork is stored by then, and its worker has collected most of what was garbage. */
const idleMs = 20_000;

/** `fork_mib`: what the page's renderer holds more for each idle fork beside the first sandbox, a worker standing ready before and after. */
export const forkMemory: Benchmark<LiveLab> = { keys: ['fork_mib'], measure };

async function measure({ tab, runs }: LiveLab): Promise<Figures> {
  await using site = await tab.serveSite();
  const each: number[] = [];
  let all: number[] = [];
  for (let n = 0; n < runs; n++) {
    await using chromium = await tab.openChromium();
    const { page } = chromium;
    const held = async () => {
      const spare = await untilReady(page);
      await page.waitForTimeout(idleMs);
      const [mib = 0] = await rendererMemory(chromium);
      return { spare, mib };
    };
    await openParent(page, site.url);
    let { spare, mib } = await held();
    all = [mib];
    for (let made = 0; made < forksOfOne; made++) {
      await forkInto(page, spare);
      ({ spare, mib } = await held());
      all.push(mib);
    }
    each.push((mib - (all[0] ?? 0)) / forksOfOne);
  }
  return {
    fork_mib: {
      value: round(median(each)),
      details: {
        eachMib: each.map((one) => round(one)),
        lastRunMib: all.map((one) => round(one)),
        idleMs,
        forks: forksOfOne,
        runs,
        counted: 'proportional set size of the renderer: page, workers and guests',
        where: 'Chromium',
      },
    },
  };
}
