import { expect, type Page } from '@playwright/test';
import { inLongRun } from '../runs-long.ts';
import { prompt, row, serveSite, shows, type, untilStored } from './tab/drive-page.ts';
import { offlineTest, test } from './tab/visit-test.ts';

/** Of what other tests cover for the most part: `ram-cache.test.ts` damages what is kept, and tests of visits start from it. */
const longTest = inLongRun(test);

const name = 'coppice-kept';

/** Whether what the last start kept for the next is all there, by the sizes and digests in its header; its bytes. */
function kept(page: Page): Promise<{ bytes: number; isWhole: boolean }> {
  return page.evaluate(async (name) => {
    const root = await navigator.storage.getDirectory();
    const content = await (await (await root.getFileHandle(name)).getFile()).arrayBuffer();
    let at = 4 + new DataView(content).getUint32(0, true);
    const header = new TextDecoder().decode(content.slice(4, at));
    let isWhole = true;
    for (const part of JSON.parse(header) as { digest: string; sizeBytes: number }[]) {
      const found = await crypto.subtle.digest('SHA-256', content.slice(at, at + part.sizeBytes));
      const hex = Array.from(new Uint8Array(found), (byte) => byte.toString(16).padStart(2, '0'));
      isWhole &&= hex.join('') === part.digest;
      at += part.sizeBytes;
    }
    return { bytes: content.byteLength, isWhole: isWhole && at === content.byteLength };
  }, name);
}

/** Whether the next start could use it. */
async function isKept(page: Page): Promise<boolean> {
  const { isWhole } = await kept(page).catch(() => ({ isWhole: false })); // Not even a header.
  return isWhole;
}

/** Whether nobody has it open: the worker of a page that was left ends some time after it, and has the file until then. */
function isFree(page: Page): Promise<boolean> {
  return page.evaluate(async (name) => {
    const file = await (await navigator.storage.getDirectory()).getFileHandle(name);
    return file.createWritable().then(
      async (writable) => {
        await writable.abort();
        return true;
      },
      () => false,
    );
  }, name);
}

/** Writes `length` bytes into what was kept, or cuts it off. */
async function damage(page: Page, how: { at: number; length?: number } | { cutAt: number }): Promise<void> {
  await expect.poll(() => isFree(page)).toBe(true);
  return page.evaluate(
    async ({ name, how }) => {
      const root = await navigator.storage.getDirectory();
      const writable = await (await root.getFileHandle(name)).createWritable({ keepExistingData: true });
      if ('cutAt' in how) await writable.truncate(how.cutAt);
      else
        await writable.write({
          type: 'write',
          position: how.at,
          data: new Uint8Array(how.length ?? 64).fill(7),
        });
      await writable.close();
    },
    { name, how },
  );
}

inLongRun(offlineTest)(
  'B-3 B-4 what was kept for the next start is used only when it is whole; damage to the RAM in it is found when it is looked at, and what ran goes on',
  async ({ page }) => {
    await using site = await serveSite();
    await page.goto(site.url);
    await prompt(page);
    await type(page, 'echo mine > note; sync; echo ok-$((1+1))');
    await shows(page, 'ok-2');
    await expect(page.getByText('offline ready')).toBeVisible();
    const { bytes, isWhole } = await kept(page);
    expect(isWhole).toBe(true);
    /** The next visit, which starts from the image instead, and keeps it anew. */
    const visitAfter = async (how: Parameters<typeof damage>[1], line: string, shown: RegExp) => {
      await untilStored(page);
      await page.goto(`${site.url}icon.svg`);
      await damage(page, how);
      expect(await isKept(page)).toBe(false);
      await page.goto(site.url);
      await prompt(page);
      await type(page, line);
      await shows(page, shown);
      await expect.poll(() => isKept(page)).toBe(true);
    };
    // In the header; in the golden state, in the middle, at once at the start.
    const places = [{ at: 8 }, { at: bytes - 100_000 }, { cutAt: bytes >> 1 }, { cutAt: 2 }];
    for (const [index, how] of places.entries())
      await visitAfter(
        how,
        `cat note; echo again-$((${index}+4))`,
        new RegExp(`mine\\s*again-${index + 4}\\s*user@coppice`),
      );
    await type(page, 'held=41; echo se""t');
    await shows(page, /set\s*user@coppice/);
    const inRam = { at: (await kept(page)).bytes - 8_000_000, length: 6_000_000 };
    await visitAfter(inRam, 'echo "it is $((held + 1))"', /it is 42/);
  },
);

longTest(
  'B-3 after a shell has ended, the next visit has another, which knows what was typed',
  async ({ page }) => {
    await using site = await serveSite();
    await page.goto(site.url);
    await prompt(page);
    await type(page, 'echo typed-before; echo shell-$$-');
    await shows(page, /shell-\d+-/);
    await type(page, 'exit');
    await expect(row(page, /^exit/)).toBeVisible();
    await untilStored(page);
    await page.reload();
    await prompt(page);
    await type(page, 'history | grep -c typed-before; echo again-$$-');
    await shows(page, /2\s*again-\d+-/);
  },
);
