import type { BrowserContext, Page } from '@playwright/test';

/** What a script in a page gets to work with. */
export interface SdkPage {
  readonly page: Page;
  /** The address of the SDK's module, for `import` inside the page. */
  readonly module: string;
}

/** An empty page of the site's origin: what runs in it opens sandboxes by itself, without the app. */
export async function openSdkPage(context: BrowserContext, siteUrl: string): Promise<SdkPage> {
  const page = await context.newPage();
  const module = `${siteUrl}coppice.js`;
  await page.goto(module);
  return { page, module };
}

/** Kills the page's process with all its workers, as the system does to a tab. */
export async function killTab(context: BrowserContext, page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const devtools = await context.newCDPSession(page);
  // The process that should answer is the one that dies.
  devtools.send('Page.crash').catch(() => undefined);
  await crashed;
  await page.close();
}
