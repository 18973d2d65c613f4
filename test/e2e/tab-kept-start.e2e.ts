import { expect, type Page, test } from '@playwright/test';
import { prompt, serveSite, shows, type } from './tab/drive-page.ts';

const name = 'coppice-kept';

/** What the last start kept for the next: its size in bytes, and its SHA-256. */
function kept(page: Page): Promise<{ bytes: number; digest: string }> {
  return page.evaluate(async (name) => {
    const root = await navigator.storage.getDirectory();
    const content = await (await (await root.getFileHandle(name)).getFile()).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
    return { bytes: content.byteLength, digest: digest.join(' ') };
  }, name);
}

/** Writes into what was kept, or cuts it off. */
function damage(page: Page, how: { at: number } | { cutAt: number }): Promise<void> {
  return page.evaluate(
    async ({ name, how }) => {
      const root = await navigator.storage.getDirectory();
      const writable = await (await root.getFileHandle(name)).createWritable({ keepExistingData: true });
      if ('cutAt' in how) await writable.truncate(how.cutAt);
      else await writable.write({ type: 'write', position: how.at, data: new Uint8Array(64).fill(7) });
      await writable.close();
    },
    { name, how },
  );
}

test('B-3 what was kept for the next start is used only when it is whole', async ({ page }) => {
  await using site = await serveSite();
  await page.goto(site.url);
  await prompt(page);
  await type(page, 'echo mine > note; sync; echo ok-$((1+1))');
  await shows(page, 'ok-2');
  await expect(page.getByText('offline ready')).toBeVisible({ timeout: 60_000 });
  const whole = await kept(page);
  const { bytes } = whole;
  // In the golden state, in the header, in the middle, at once at the start: each time the image serves instead.
  for (const how of [{ at: bytes - 100_000 }, { at: 8 }, { cutAt: bytes >> 1 }, { cutAt: 2 }]) {
    await page.goto(`${site.url}icon.svg`);
    await damage(page, how);
    await page.goto(site.url);
    await prompt(page);
    await type(page, 'cat note; echo again-$((2+2))');
    await shows(page, 'again-4');
    await shows(page, 'mine');
    await expect.poll(() => kept(page), { timeout: 30_000 }).toEqual(whole);
  }
});
