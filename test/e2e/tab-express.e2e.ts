import { expect, test } from '@playwright/test';
import type { WebContainer } from '@webcontainer/api';
import type { WebContainerHistory } from '../../web/webcontainer-host/history/open-history.ts';
import { packInstalled } from '../fixtures/package-registry.ts';
import { serveRegistry } from '../fixtures/serve-registry.ts';
import { runsLong } from '../runs-long.ts';
import { bootExpress, expressFiles, greeting, installExpress, showExpress } from './tab/express-app.ts';
import { serveSiteWith } from './tab/serve-site-with.ts';
import { openApp, serveWebContainerApp } from './tab/webcontainer-app.ts';

// In the page of the application, once `bootExpress` has run.
declare const container: WebContainer;
declare const past: WebContainerHistory;

// Node takes the better part of a minute to load Express in an emulated machine, each time.
if (runsLong) {
  test('C-7 in the tab an Express app installs from a registry, serves, is rewound and forked', async ({
    page,
  }) => {
    // Node starts three times.
    test.setTimeout(1_200_000);
    await using site = await serveSiteWith('node');
    await using app = await serveWebContainerApp();
    await using registry = await serveRegistry(packInstalled(['express']));
    const own = app.url.replace('localhost', 'shop.localhost');
    const host = site.url.replace('localhost', 'machines.shop.localhost');
    const open = (more: Record<string, string>) =>
      openApp(page, {
        ...{ app: own, host },
        settings: new URLSearchParams({ image: 'node', registry: registry.url, ...more }).toString(),
      });
    const history = await (await fetch(`${site.url}webcontainer-history.js`)).text();

    await open({});
    await page.evaluate(bootExpress, { files: expressFiles('alone'), history });
    const mounted = await page.evaluate(() => past.snapshot('mounted'));
    const { exitCode, printed } = await page.evaluate(installExpress, 'host' as const);
    expect(printed).toMatch(/added \d+ packages in/);
    expect(exitCode).toBe(0);
    const installed = await page.evaluate(() => past.snapshot('installed'));
    await page.evaluate(showExpress, ['npm', 'start'] as const);
    await expect(greeting(page)).toHaveText('one');

    const fork = await page.evaluate(async () => {
      await container.fs.writeFile('greeting.txt', 'two');
      return past.fork();
    });
    await page.evaluate((to) => past.checkout(to), installed);
    await page.evaluate(showExpress, ['node', 'server.js'] as const);
    await expect(greeting(page)).toHaveText('one');
    const names = await page.evaluate(async (to) => {
      await past.checkout(to);
      return container.fs.readdir('.');
    }, mounted);
    expect(names).not.toContain('node_modules');

    await open({ sandbox: fork });
    await page.evaluate(bootExpress, { files: {}, history });
    await page.evaluate(showExpress, ['node', 'server.js'] as const);
    await expect(greeting(page)).toHaveText('two');
  });
}
