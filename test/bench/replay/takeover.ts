import type { Page } from '@playwright/test';
import { demo } from '../../../examples/demos/break-a-computer.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { ReplayLab } from '../lab/replay-lab.ts';
import { openSite, untilAnswer, untilOffline } from '../lab/site-page.ts';
import { median, round } from '../median.ts';

const { title } = demo;

/** `takeover_ms`: from *Continue from here* until the prompt of the machine has answered, with the image in the browser's cache. */
export const takeover: Benchmark<ReplayLab> = { keys: ['takeover_ms'], measure };

async function measure(lab: ReplayLab): Promise<Figures> {
  await using site = await lab.serveSite();
  await using chromium = await lab.openChromium();
  const { page } = chromium;
  await openSite(page, site.url);
  await untilOffline(page);
  const times: number[] = [];
  for (let run = 0; run <= lab.runs; run++) times.push(await takeOver(page, site.url));
  // The first warms up.
  const allMs = times.slice(1).map((ms) => round(ms));
  return { takeover_ms: { value: round(median(allMs)), details: { allMs, demo: title } } };
}

async function takeOver(page: Page, url: string): Promise<number> {
  await page.goto(`${url}demos/`);
  await page.getByRole('link', { name: title }).click();
  const button = page.getByRole('button', { name: 'Continue from here', exact: true });
  // A person's pointer comes near first, which is when the image begins to load.
  await button.hover();
  const begunAt = performance.now();
  await button.click();
  await page.waitForURL(/#s=/);
  await untilAnswer(page);
  return performance.now() - begunAt;
}
