import type { Page } from '@playwright/test';
import type { Benchmark, Figures } from '../figure.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { openSite, reloadUntilAnswer, runCommand, untilOffline } from '../lab/site-page.ts';
import { median, round } from '../median.ts';

/**
 * `live_reload_ratio`: a reload of what runs, until its shell answers ÷ v86 alone in a page, until it is loaded, by turns.
 * Both are timed by the clock of the page, from the navigation; the Enter that is answered is the page's own, at once.
 */
export const reload: Benchmark<LiveLab> = { keys: ['live_reload_ratio'], measure };

async function measure({ tab, runs }: LiveLab): Promise<Figures> {
  const pages = await tab.pages();
  await using site = await tab.serveSite();
  await using chromium = await tab.openChromium();
  const { page } = chromium;
  await loadBare(page, pages.url);
  await openSite(page, site.url);
  await untilOffline(page);
  await runCommand(page, 'x=1; (while :; do sleep 1; done) & echo $x > ~/kept');
  const bare: number[] = [];
  const prompts: number[] = [];
  const answers: number[] = [];
  for (let n = 0; n < runs; n++) {
    bare.push(await loadBare(page, pages.url));
    await openSite(page, site.url);
    await untilOffline(page); // What a start leaves for later is done.
    const { promptMs, answerMs } = await reloadUntilAnswer(page);
    prompts.push(promptMs);
    answers.push(answerMs);
  }
  return {
    live_reload_ratio: {
      value: round(median(answers) / median(bare)),
      details: {
        oursMs: round(median(answers)),
        oursToPromptMs: round(median(prompts)),
        theirsMs: round(median(bare)),
        allOursMs: answers.map((ms) => round(ms)),
        allTheirsMs: bare.map((ms) => round(ms)),
        runs,
      },
    },
  };
}

async function loadBare(page: Page, url: string): Promise<number> {
  await page.goto('about:blank'); // The machine that was open is gone before this one is made.
  await page.goto(`${url}bare-v86.html`, { waitUntil: 'commit' });
  await page.waitForFunction(() => globalThis.bareV86Ms !== undefined);
  return page.evaluate(() => globalThis.bareV86Ms);
}
