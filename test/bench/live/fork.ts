import type { Benchmark, Figures } from '../figure.ts';
import { dropForks, type ForkTimes, forkInto, openParent, untilReady } from '../lab/fork-page.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { median, round } from '../median.ts';

const warmUpRounds = 2;
/** Between the two sides: the machine of the one, some 200 MiB, is gone before the other is measured. */
const quietMs = 1_000;

/** `fork_ratio`: v86 made and put at the golden state in a worker ÷ a fork of what runs into a worker that stands ready, by turns. */
export const fork: Benchmark<LiveLab> = { keys: ['fork_ratio'], measure };

async function measure({ tab, runs }: LiveLab): Promise<Figures> {
  const pages = await tab.pages();
  await using site = await tab.serveSite();
  await using chromium = await tab.openChromium();
  const { page } = chromium;
  const other = await page.context().newPage();
  await other.goto(pages.url);
  await openParent(page, site.url);
  const theirs: number[] = [];
  const ours: ForkTimes[] = [];
  for (let n = 0; n < warmUpRounds + runs; n++) {
    const spare = await untilReady(page);
    const restoredMs = await other.evaluate(() => globalThis.bench.measureRestore());
    await page.waitForTimeout(quietMs);
    const times = await forkInto(page, spare);
    await dropForks(page);
    await page.waitForTimeout(quietMs);
    if (n < warmUpRounds) continue;
    theirs.push(restoredMs);
    ours.push(times);
  }
  const runsMs = ours.map((times) => times.runsMs);
  return {
    fork_ratio: {
      value: round(median(theirs) / median(runsMs)),
      details: {
        oursMs: round(median(runsMs)),
        oursToAnswerMs: round(median(ours.map(({ answersMs }) => answersMs))),
        theirsMs: round(median(theirs)),
        allOursMs: runsMs.map((one) => round(one)),
        allTheirsMs: theirs.map((one) => round(one)),
        theirs: '`new V86` and `restore_state` with the golden state, compiled and read before',
        runs,
        quietMs,
        warmUpRounds,
        where: 'Chromium, a worker each',
      },
    },
  };
}
