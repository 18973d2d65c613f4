import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { launchChromium, runFirst, servePages, untilPicture } from './pages-with-embeds.ts';

test('P-9 the site of the documentation plays its tutorial and runs its block, from files alone', async () => {
  await promisify(execFile)(process.execPath, [inRepository('scripts/build-docs.ts')], {
    maxBuffer: 64 * 1024 * 1024,
  });
  await using server = await servePages(inRepository('dist/docs'));
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    // Wide enough for its sidebar.
    await page.setViewport({ width: 1280, height: 1000 });
    await page.goto(`${server.url}docs/tutorial.html`);
    await untilPicture(page, './main; echo $?');
    await runFirst(page, '+tomatoes');
    // As a reader comes to it from another page, without one being loaded.
    await page.goto(`${server.url}docs/glossary.html`);
    await page.locator('a[href="/docs/tutorial.html"]').click();
    await untilPicture(page, './main; echo $?');
    await runFirst(page, '+tomatoes');
    await page.locator('coppice-replay >>> button.play').click();
    const frame = await (await page.waitForSelector('coppice-replay >>> iframe'))?.contentFrame();
    const player = await frame?.waitForSelector(
      'coppice-replay >>> input[type=range], coppice-replay >>> [role=slider]',
    );
    expect(player).toBeTruthy();
  } finally {
    await browser.close();
  }
});
