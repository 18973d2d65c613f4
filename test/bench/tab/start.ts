import type { Page } from '@playwright/test';
import type { Benchmark, Figure, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { openSite, reloadSite, runCommand, untilOffline } from '../lab/site-page.ts';
import { median, round } from '../median.ts';

const storedSnapshots = 20;

/** `start_ratio`, `reload_ratio`: a cold boot, a fresh sandbox and a reload of one with a past, by turns in one tab. */
export const start: Benchmark<Lab> = { keys: ['start_ratio', 'reload_ratio'], measure };

interface Times {
  readonly coldMs: number[];
  readonly startMs: number[];
  readonly reloadMs: number[];
}

async function measure(lab: Lab): Promise<Figures> {
  const pages = await lab.pages();
  // Two origins: the sandboxes of one are deleted before every start, that of the other keeps its history.
  await using fresh = await lab.serveSite();
  await using kept = await lab.serveSite();
  await using chromium = await lab.openChromium();
  const { page } = chromium;
  // The first visits fill the caches of the browser, to the end, and are the warm-up.
  await bootCold(page, pages.url);
  await openSite(page, fresh.url);
  await untilOffline(page);
  await openSite(page, kept.url);
  await untilOffline(page);
  for (let n = 1; n <= storedSnapshots; n++) await runCommand(page, `date > ~/note-${n}`);
  const snapshots = await page.getByRole('treeitem').count();

  const times: Times = { coldMs: [], startMs: [], reloadMs: [] };
  for (let n = 0; n < lab.runs; n++) {
    times.coldMs.push(await bootCold(page, pages.url));
    await forgetSandboxes(page, fresh.url);
    times.startMs.push(await openSite(page, fresh.url));
    await openSite(page, kept.url);
    await untilOffline(page); // What a start leaves for later is done.
    times.reloadMs.push(await reloadSite(page));
  }
  const figure = (oursMs: number[]): Figure => ({
    value: round(median(times.coldMs) / median(oursMs)),
    details: {
      coldMs: round(median(times.coldMs)),
      oursMs: round(median(oursMs)),
      allColdMs: times.coldMs.map((ms) => round(ms)),
      allOursMs: oursMs.map((ms) => round(ms)),
      snapshots,
    },
  });
  return { start_ratio: figure(times.startMs), reload_ratio: figure(times.reloadMs) };
}

async function bootCold(page: Page, url: string): Promise<number> {
  await page.goto('about:blank'); // The machine that was open is gone before this one starts.
  await page.goto(`${url}cold-boot.html`, { waitUntil: 'commit' });
  await page.waitForFunction(() => globalThis.coldBootMs !== undefined);
  return page.evaluate(() => globalThis.coldBootMs);
}

/** Deletes every sandbox of an origin, and waits until they are gone; what is cached of the image stays. */
async function forgetSandboxes(page: Page, url: string): Promise<void> {
  await page.goto(`${url}icon.svg`); // Of the origin, but not the application.
  await page.evaluate(async () => {
    localStorage.clear();
    const root = await navigator.storage.getDirectory();
    await root.removeEntry('coppice', { recursive: true });
    for (const { name = '' } of await indexedDB.databases()) {
      await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name);
        request.onsuccess = resolve;
        request.onerror = reject;
      });
    }
  });
}
