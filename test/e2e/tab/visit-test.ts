import { test as base } from '@playwright/test';
import { assetCacheName } from '../../../web/transports/asset-cache.ts';
import { runsLong } from '../../runs-long.ts';

/**
 * A test of the built site. Each has a browser without a past, which after two seconds begins to fetch the whole image for
 * use without a network: 80 MB in a thousand files, as much work as many a test. So that happens where a test waits for it,
 * and in the long run everywhere; else the page has the lock of whoever fetches, and its machines wait for their turn. The page waits for its machine:
 * what a first visitor sees meanwhile has tests of its own (`tab-first-visit.e2e.ts`).
 */
export const test = base.extend<{ fetchesImage: boolean }>({
  fetchesImage: [runsLong, { option: true }],
  context: async ({ context, fetchesImage }, use) => {
    await context.addInitScript(preferMachine);
    if (!fetchesImage) await context.addInitScript(holdLock, `${assetCacheName}/offline`);
    await use(context);
  },
});

/** A test that waits for the image to be there without a network. */
export const offlineTest = test.extend({ fetchesImage: true });

/** In a page: its user has chosen that no shell comes before the machine. Pages without an origin store nothing. */
function preferMachine(): void {
  try {
    const preferences = localStorage.getItem('coppice.preferences') ?? '{}';
    localStorage.setItem(
      'coppice.preferences',
      JSON.stringify({ shellFirst: false, ...JSON.parse(preferences) }),
    );
  } catch {
    // It has no storage.
  }
}

/** In a page: holds the lock as long as the page is there. Pages that are not of a site have none. */
function holdLock(name: string): void {
  navigator.locks?.request(name, () => new Promise(() => {})).catch(() => undefined);
}
