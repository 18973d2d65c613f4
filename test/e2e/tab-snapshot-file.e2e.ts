import { readFile, writeFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { prompt, serveSite, shows, type } from './tab/drive-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

/** Does what the palette has under this title. */
async function command(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type(title);
  await page.keyboard.press('Enter');
}

test('X-8 what runs is saved as a file, which opens beside and goes on; an altered one is refused with the reason', async ({
  page,
}, testInfo) => {
  // The browser's own dialog is no part of the page.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  await page.goto(site.url);
  await prompt(page);
  await type(page, 'python3');
  await shows(page, />>>\s*$/);
  await type(page, 'held = 41');
  await shows(page, /held = 41\s*>>>\s*$/);

  const download = page.waitForEvent('download');
  await command(page, 'Save now, with running programs, as a file');
  const file = testInfo.outputPath('running.coppice');
  await (await download).saveAs(file);
  await type(page, 'held = 0');

  const open = async (path: string) => {
    const chooser = page.waitForEvent('filechooser');
    await command(page, 'Open a snapshot from a file');
    await (await chooser).setFiles(path);
  };
  const bytes = await readFile(file);
  bytes[bytes.length - 100] = ~(bytes[bytes.length - 100] ?? 0);
  const altered = testInfo.outputPath('altered.coppice');
  await writeFile(altered, bytes);
  await open(altered);
  await expect(
    page.getByText(/“altered.coppice” was not opened, and nothing of it was kept: /),
  ).toBeVisible();
  await expect(page.locator('coppice-pane')).toHaveCount(1);

  await open(file);
  await shows(page, /held = 41\s*>>>\s*$/, 1);
  await type(page, 'print("still", held)', 1);
  await shows(page, 'still 41', 1);
});
