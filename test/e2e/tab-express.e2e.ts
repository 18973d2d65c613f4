import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { WebContainer } from '@webcontainer/api';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { createProgress } from '../../host/progress.ts';
import { inRepository } from '../../host/repository.ts';
import { provideImage } from '../../images/provide-image.ts';
import { type StaticServer, serveFolder } from '../../scripts/static-server.ts';
import type { WebContainerHistory } from '../../web/webcontainer-host/history/open-history.ts';
import { runsLong } from '../runs-long.ts';
import { bootExpress, expressFiles, greeting, showExpress } from './tab/express-app.ts';
import { openApp, serveWebContainerApp } from './tab/webcontainer-app.ts';

// In the page of the application, once `bootExpress` has run.
declare const container: WebContainer;
declare const past: WebContainerHistory;

/** The built site with one more image. */
async function serveSiteWith(image: string): Promise<StaticServer> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-site-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(join(inRepository(), 'dist/site'), folder, { recursive: true });
  const cache = new CacheFolder(cachePath());
  const built = await provideImage(image, { cache, progress: createProgress(), golden: true });
  await placeImage(built, { to: join(folder, 'images'), isDefault: false });
  const server = stack.use(await serveFolder(folder, { port: 0 }));
  const owned = stack.move();
  return { url: server.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

// Node takes a minute to load Express in an emulated machine, each time.
if (runsLong) {
  test('C-7 in the tab an Express app that brings its packages serves, and is rewound', async ({ page }) => {
    await using site = await serveSiteWith('node');
    await using app = await serveWebContainerApp();
    const own = app.url.replace('localhost', 'shop.localhost');
    const host = site.url.replace('localhost', 'machines.shop.localhost');
    const open = (settings: string) => openApp(page, { app: own, host, settings });
    const history = await (await fetch(`${site.url}webcontainer-history.js`)).text();

    await open('image=node');
    await page.evaluate(bootExpress, { files: expressFiles('installed'), history });
    const mounted = await page.evaluate(() => past.snapshot('mounted'));
    await page.evaluate(showExpress, ['node', 'server.js'] as const);
    await expect(greeting(page)).toHaveText('one');

    await page.evaluate(() => container.fs.writeFile('greeting.txt', 'two'));
    await page.evaluate((to) => past.checkout(to), mounted);
    await page.evaluate(showExpress, ['node', 'server.js'] as const);
    await expect(greeting(page)).toHaveText('one');
  });
}
