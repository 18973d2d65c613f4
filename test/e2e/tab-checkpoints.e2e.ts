import { expect, type Page } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { runsLong } from '../runs-long.ts';
import {
  countingLoop,
  prompt,
  runLine,
  screen,
  serveSite,
  shows,
  startHolder,
  type,
  untilStored,
  waitForCount,
} from './tab/drive-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

/** Waits until there are this many checkpoints more. */
async function moreCheckpoints(page: Page, count: number): Promise<void> {
  const stops = async () =>
    Number(await page.getByRole('slider', { name: 'Timeline' }).getAttribute('aria-valuemax'));
  const before = await stops();
  await expect.poll(stops).toBeGreaterThanOrEqual(before + count);
}

/** What the looked-at terminal showed at the moment under the pointer. */
const preview = (page: Page) =>
  page.locator('coppice-pane').first().locator('coppice-terminal:not([hidden]) .preview');

/** Drags over the timeline from now towards the past until the preview is as wanted, lets go, and goes there with all that ran. */
async function scrubBack(page: Page, wanted: (text: string) => boolean): Promise<void> {
  const box = await page.getByRole('slider', { name: 'Timeline' }).boundingBox();
  if (!box) throw new Error('There is no timeline');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - 2, y);
  await page.mouse.down();
  for (let x = box.x + box.width - 2; x > box.x; x -= box.width / 120) {
    await page.mouse.move(x, y);
    const checkpoint = await page.getByRole('slider', { name: 'Timeline' }).getAttribute('data-checkpoint');
    if (checkpoint === null) continue;
    await expect(preview(page)).toHaveAttribute('data-checkpoint', checkpoint);
    const text = (await preview(page).locator('.xterm-rows').textContent()) ?? '';
    if (!wanted(text)) continue;
    await page.mouse.up();
    // A drag only shows.
    await expect(preview(page)).toBeVisible();
    const shown = page.getByRole('toolbar', { name: 'The state that is shown' });
    await expect(shown).toBeVisible();
    await expect(shown.getByRole('combobox', { name: 'What goes back' })).toHaveValue('all');
    await shown.getByRole('button', { name: 'Go back' }).click();
    return;
  }
  throw new Error('No checkpoint was as wanted');
}

test('B-4 the timeline scrubs back over a running machine, which goes on from there', async ({ page }) => {
  await page.goto(site.url);
  await prompt(page);
  await runLine(page, `(${countingLoop}) &`);
  await startHolder(page);
  await type(page, 'x=41');
  await shows(page, /x=41\s*>>>\s*$/);
  await moreCheckpoints(page, 4);
  await type(page, 'x=0');
  await shows(page, /x=0\s*>>>\s*$/);
  await moreCheckpoints(page, 4);

  await scrubBack(page, (text) => /x=41\s*>>>\s*$/.test(text));
  await expect(page.getByText(/Went to .* with everything that ran/)).toBeVisible();
  await expect(preview(page)).toBeHidden();
  // The checkpoint may have what was typed next, before the terminal showed it.
  await page.keyboard.press('Control+u');
  await expect(screen(page)).not.toContainText('x=0');
  await type(page, 'echo "held $((x + 1))"');
  await shows(page, /held 42/);
  await waitForCount(page);

  // The notice that offers it has gone where that took its time.
  await page.getByRole('button', { name: 'Undo going back' }).click();
  await expect(screen(page)).toContainText('x=0');
  await type(page, 'echo "held $((x + 1))"');
  await shows(page, /held 1\b/);
});

// Checkpoints of before a reload have tests in Node, too (test/machine/stored-checkpoints.test.ts).
if (runsLong) {
  test('B-4 checkpoints of before a reload are on the timeline, and going to one goes on from there', async ({
    page,
  }) => {
    await page.goto(site.url);
    await prompt(page);
    await runLine(page, `(${countingLoop}) &`);
    await type(page, 'held=41; echo first-"$held"');
    await shows(page, /first-41/);
    await moreCheckpoints(page, 2);
    await type(page, 'held=0; cat count > later; echo second-"$held"');
    await shows(page, /second-0/);
    await moreCheckpoints(page, 2);

    await untilStored(page);
    await page.reload();
    await shows(page, /second-0/);
    await moreCheckpoints(page, 3);
    // A command's checkpoint is taken before the next prompt.
    await scrubBack(page, (text) => /first-41\s*(user@coppice:~\$)?\s*$/.test(text));
    await expect(page.getByText(/Went to .* with everything that ran/)).toBeVisible();
    await shows(page, /first-41/);
    await expect(screen(page)).not.toContainText('held=0');
    await type(page, 'echo is-"$((held + 1))"; ls later');
    await shows(page, /is-42/);
    await shows(page, /No such file/);
    await waitForCount(page);
  });
}
