import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { launchChromium, runFirst, servePages, terminalShows, untilPicture } from './pages-with-embeds.ts';

test('P-9 the site of the documentation plays and continues its tutorial, and runs its block, from files alone', async () => {
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
    const time = await frame?.waitForSelector('coppice-replay >>> [role=slider]');
    await time?.focus();
    await page.keyboard.press('End');
    // The site has no image: what was changed is in a shell.
    const choice = await frame?.waitForSelector('coppice-replay >>> coppice-continue >>> select');
    await choice?.select('files');
    await frame?.locator('coppice-replay >>> coppice-continue >>> button.primary').click();
    await frame?.waitForSelector('coppice-embed-terminal');
    await frame?.locator('coppice-embed-terminal').click();
    await frame?.waitForFunction(terminalShows, { timeout: 120_000 }, '$');
    await page.keyboard.type('cat project/main.c\n');
    await frame?.waitForFunction(terminalShows, { timeout: 120_000 }, 'return 7');
  } finally {
    await browser.close();
  }
});
