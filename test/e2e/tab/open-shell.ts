import type { BrowserContext, Page } from '@playwright/test';
import { prompt } from './drive-page.ts';
import { openSdkPage } from './sdk-page.ts';

/** The page with a sandbox of runtime shell in it: no machine starts. */
export async function openShell(context: BrowserContext, siteUrl: string): Promise<Page> {
  const { page, module } = await openSdkPage(context, siteUrl);
  const id = await page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../../sdk/index.ts') = await import(module);
    await using sandbox = await Sandbox.create({ runtime: 'shell', name: 'first shell' });
    return sandbox.id;
  }, module);
  await page.goto(`${siteUrl}#s=${id}`);
  await prompt(page);
  return page;
}
