import { tmpdir } from 'node:os';
import { expect } from '@playwright/test';
import type { WebContainer } from '@webcontainer/api';
import { whatProgramsLack } from '../../bridge-server/runtimes/jail/probe-programs.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import type { WebContainerHistory } from '../../web/webcontainer-host/history/open-history.ts';
import { type BridgeProcess, startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatImageLacks } from '../host/what-image-lacks.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { inLongRun } from '../runs-long.ts';
import { openWithBridge } from './tab/add-bridge.ts';
import { prompt, serveSite, shows, type } from './tab/drive-page.ts';
import { bootExpress, expressFiles, greeting, installExpress, showExpress } from './tab/express-app.ts';
import { test } from './tab/visit-test.ts';
import { openApp, serveWebContainerApp } from './tab/webcontainer-app.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

// In the page of the application, once `bootExpress` has run.
declare const container: WebContainer;
declare const past: WebContainerHistory;

/** It has node and npm. A bridge takes most of a minute to unpack it, so all that needs it is in this file. */
const image = 'debian-amd64';
let site: StaticServer;
let bridge: BridgeProcess;

test.beforeAll(async () => {
  const lack =
    (await whatMovesLack()) ??
    (await whatProgramsLack('amd64', { folder: tmpdir() })) ??
    (await whatImageLacks(image));
  test.skip(lack !== undefined, `no 64-bit jails here: ${lack}`);
  site = await serveSite({ embedders: ['http://shop.localhost:*'] });
  const allowOrigin = [site.url, host()].map((url) => new URL(url).origin);
  bridge = await startBridgeProcess({ allowOrigin, images: [image] });
});
test.afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

/** The site at a name of one domain with the application, as previews need it. */
function host(): string {
  return site.url.replace('localhost', 'machines.shop.localhost');
}

test('B-8 O-11 a linked 64-bit program that fails in the tab leads to a sandbox with its libraries, and the files of home', async ({
  page,
}) => {
  await openWithBridge(page, { site, bridge });
  await type(
    page,
    "mkdir work && cd work && printf 'int main(void) { return sizeof(long); }' > a.c; ln -s a.c b.c",
  );
  await type(
    page,
    "printf '\\x7fELF\\x02\\x01\\x01%057d/lib64/ld-linux-x86-64.so.2' 0 > wide; chmod 755 wide; ./wide",
  );
  const remark = page.getByRole('status').filter({ hasText: 'linked with 64-bit libraries' });
  await expect(remark).toContainText(
    `has what it needs in ${image}: a new sandbox there gets the files of your home.`,
  );
  await remark.getByRole('button', { name: `Run in ${image}` }).click();
  await prompt(page, 1);
  await expect(page.getByRole('heading', { name: /· on 127\.0\.0\.1/ })).toBeVisible();
  await type(page, 'pwd; uname -m; cc b.c && ./a.out; echo "status $?"; stat -c %a:%U wide', 1);
  await shows(page, /\/home\/user\/work\s*x86_64\s*status 8\s*755:user/, 1);
  await expect(page.locator('coppice-pane')).toHaveCount(2);
});

longTest(
  'C-7 on a bridge an Express app installs from a registry’s folder, serves, is rewound and forked',
  async ({ page }) => {
    await using app = await serveWebContainerApp();
    const own = app.url.replace('localhost', 'shop.localhost');
    const settings = { bridge: bridge.url, token: bridge.token };
    const open = (more: Record<string, string>) =>
      openApp(page, {
        app: own,
        host: host(),
        settings: new URLSearchParams({ ...settings, ...more }).toString(),
      });
    const history = await (await fetch(`${site.url}webcontainer-history.js`)).text();

    await open({ image });
    await page.evaluate(bootExpress, { files: expressFiles('in-registry'), history });
    const mounted = await page.evaluate(() => past.snapshot('mounted'));
    const { exitCode, printed } = await page.evaluate(installExpress, 'folder' as const);
    expect(exitCode, printed).toBe(0);
    const installed = await page.evaluate(() => past.snapshot('installed'));
    await page.evaluate(showExpress, ['npm', 'run', 'start'] as const);
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
    expect(names).toContain('registry');
    expect(names).not.toContain('node_modules');

    await open({ sandbox: fork });
    await page.evaluate(bootExpress, { files: {}, history });
    await page.evaluate(showExpress, ['node', 'server.js'] as const);
    await expect(greeting(page)).toHaveText('two');
  },
);
