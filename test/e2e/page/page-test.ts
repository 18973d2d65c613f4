import { type BrowserContext, test as base } from '@playwright/test';

/**
 * A test of the page with the stand-in backend. The tests of a process share a browser context, in which the page is loaded
 * and compiled once; what a test lets the page store is gone before the next. One that takes `context` is no test of this kind.
 */
export const test = base.extend<object, { shared: BrowserContext }>({
  shared: [
    async ({ browser }, use) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await use(context);
      await context.close();
    },
    { scope: 'worker' },
  ],
  page: async ({ shared }, use) => {
    const page = await shared.newPage();
    await use(page);
    // What is of a session goes with its page.
    await page.evaluate(() => localStorage.clear());
    await page.close();
  },
});
