import { tmpdir } from 'node:os';
import { expect, test } from '@playwright/test';
import { whatProgramsLack } from '../../bridge-server/runtimes/jail/probe-programs.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import { type BridgeProcess, startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatImageLacks } from '../host/what-image-lacks.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { openWithBridge } from './tab/add-bridge.ts';
import { prompt, serveSite, shows, type } from './tab/drive-page.ts';

const image = 'debian-amd64';
let site: StaticServer;
let bridge: BridgeProcess;

test.beforeAll(async () => {
  const lack =
    (await whatMovesLack()) ??
    (await whatProgramsLack('amd64', { folder: tmpdir() })) ??
    (await whatImageLacks(image));
  test.skip(lack !== undefined, `no 64-bit jails here: ${lack}`);
  site = await serveSite();
  bridge = await startBridgeProcess({ allowOrigin: new URL(site.url).origin, images: [image] });
});
test.afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

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
    `has them in ${image}: a new sandbox there gets the files of your home.`,
  );
  await remark.getByRole('button', { name: `Run in ${image}` }).click();
  await prompt(page, 1);
  await expect(page.getByRole('heading', { name: /· on 127\.0\.0\.1/ })).toBeVisible();
  await type(page, 'pwd; uname -m; cc b.c && ./a.out; echo "status $?"; stat -c %a:%U wide', 1);
  await shows(page, /\/home\/user\/work\s*x86_64\s*status 8\s*755:user/, 1);
  await expect(page.locator('coppice-pane')).toHaveCount(2);
});
