import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, type Page } from '@playwright/test';
import { inLongRun } from '../runs-long.ts';
import { prompt, row, shows, type } from './tab/drive-page.ts';
import { type ForgetfulSite, serveForgetfulSite } from './tab/forgetful-site.ts';
import { openShell } from './tab/open-shell.ts';
import { offlineTest, test } from './tab/visit-test.ts';

/** Of what other tests cover for the most part: the page says it in `page-elements.e2e.ts`, `salvage-tar.test.ts` has the bytes. */
const longTest = inLongRun(test);

const run = promisify(execFile);

let site: ForgetfulSite;
test.beforeEach(async () => {
  site = await serveForgetfulSite();
});
test.afterEach(() => site[Symbol.asyncDispose]());

/** As if the browser had cleared its cache, and the site had another image by now. */
async function loseImage(page: Page): Promise<void> {
  await site.forgetImages();
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (request.url.includes('/images/')) await cache.delete(request);
      }
    }
    const folder = await navigator.storage.getDirectory();
    await folder.removeEntry('coppice-kept', { recursive: true }).catch(() => undefined);
  });
}

inLongRun(offlineTest)(
  'B-10 with the image gone the sandbox says so, and what is its own can be downloaded',
  async ({ page }) => {
    // The browser's own dialog is no part of the page.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await page.goto(site.url);
    await prompt(page);
    await type(
      page,
      'mkdir d; echo my own words > d/note; head -c 3000000 /dev/urandom > large; echo ok-$((1+1))',
    );
    await shows(page, 'ok-2');
    await expect(row(page, /^mkdir d/)).toBeVisible();
    await type(page, 'sha256sum < large | head -c 12; echo =sum');
    await shows(page, '=sum');
    await expect(page.getByText('offline ready')).toBeVisible();
    await page.evaluate(() => navigator.serviceWorker.getRegistration().then((found) => found?.unregister()));

    await page.goto(`${site.url}coppice.js`); // The sandbox is closed, and its files can be moved.
    await loseImage(page);
    await page.goto(site.url);
    await expect(page.getByRole('alert')).toContainText('no longer has the image it was made from');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download what is here' }).click();
    const path = await (await download).path();
    const { stdout: note } = await run('tar', ['-xOf', path, 'home/user/d/note']);
    expect(note).toBe('my own words\n');
    const { stdout: listed } = await run('tar', ['-tvf', path]);
    expect(listed).toMatch(/ 3000000 .* home\/user\/large\n/);
    await expect(
      page.getByText(/Not in it, because it is missing or damaged: .*\/.* and \d+ more/),
    ).toBeVisible();

    const told = await page.evaluate(async (module) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      const [info] = await Sandbox.list();
      if (!info) throw new Error('There is no sandbox');
      const archive = await Sandbox.exportTar(info.id);
      let bytes = 0;
      for await (const piece of archive) bytes += piece.length;
      const head = await Sandbox.open(info.id).catch((error) => ({
        code: error.code,
        of: error.details.sandbox,
      }));
      return { bytes, missing: [...archive.missing], count: archive.missingCount, head, id: info.id };
    }, `${site.url}coppice.js`);
    expect(told.bytes).toBeGreaterThan(3_000_000);
    expect(told.missing).toContain('/usr/');
    expect(told.count).toBe(told.missing.length);
    expect(told.missing.filter((path) => path.startsWith('/home/user/d/'))).toEqual([]);
    expect(told.head).toEqual({ code: 'asset-unavailable', of: told.id });
  },
);

longTest(
  'B-10 with the image at hand, a stored sandbox is exported whole without being opened',
  async ({ page }) => {
    await page.goto(`${site.url}coppice.js`);
    const told = await page.evaluate(async (module) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      const sandbox = await Sandbox.create();
      await sandbox.files.write('/home/user/note', 'mine');
      const { id } = await sandbox.createSnapshot();
      const count = async (archive: AsyncIterable<Uint8Array>) => {
        let bytes = 0;
        for await (const piece of archive) bytes += piece.length;
        return bytes;
      };
      await sandbox.close();
      const stored = await Sandbox.exportTar(sandbox.id, { at: id });
      return { bytes: await count(stored), missing: stored.missing };
    }, `${site.url}coppice.js`);
    // That it is byte for byte what is exported of an open one: tree/tar/salvage-tar.test.ts.
    expect(told.bytes).toBeGreaterThan(100_000_000);
    expect(told.missing).toEqual([]);
  },
);

longTest('B-10 the files go into the file that the user picks, piece by piece', async ({ context }) => {
  await context.addInitScript(() => {
    // A real file handle, picked without the browser's dialog.
    const pick = async ({ suggestedName }: { suggestedName: string }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    Object.assign(window, { showSaveFilePicker: pick });
  });
  // A shell, whose files are not those of an image, which take their time.
  const page = await openShell(context, site.url);
  await type(page, 'seq 1000000 > numbers');
  await expect(row(page, /^seq 1000000/)).toBeVisible();
  await row(page, /^now/).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Download all files now');
  await expect(page.getByRole('listbox', { name: 'Commands' }).getByRole('option')).toHaveText([
    'Download all files now as tar',
  ]);
  await page.keyboard.press('Enter');
  const read = () =>
    page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      for await (const [name, handle] of folder) {
        if (!name.endsWith('.tar') || !(handle instanceof FileSystemFileHandle)) continue;
        const file = await handle.getFile();
        const end = new Uint8Array(await file.slice(-1024).arrayBuffer());
        return { name, sizeBytes: file.size, ends: end.length === 1024 && end.every((byte) => byte === 0) };
      }
      return undefined;
    });
  await expect.poll(async () => (await read())?.ends).toBe(true);
  const saved = await read();
  expect(saved?.name).toMatch(/-now\.tar$/);
  expect(saved?.sizeBytes).toBeGreaterThan(6_888_896);
});
