import { expect, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { inLongRun } from '../runs-long.ts';
import { auditPage } from './page/audit-page.ts';
import { prompt, row, serveSite, shows, type } from './tab/drive-page.ts';
import { type HeldSite, holdImages } from './tab/held-site.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

// These tests open the page as a first visitor does, and so do not take `visit-test.ts`.
let site: StaticServer;
let held: HeldSite;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());
test.beforeEach(async () => {
  held = await holdImages(site);
});
test.afterEach(() => held[Symbol.asyncDispose]());

const isLoading = 'A Linux machine is loading';

test('S-1 a first visit over a slow network has a shell before its machine; unused, it gives its place to the machine, and the focus stays in the terminal', async ({
  page,
}) => {
  await page.goto(held.url);
  await prompt(page);
  const pane = page.locator('coppice-pane');
  await expect(pane).toContainText(/A Linux machine is loading.*This shell is ready now\./);
  expect(await page.evaluate(auditPage, 24)).toEqual([]);
  // Nothing of it is kept until somebody uses it.
  expect(new URL(page.url()).hash).toBe('');
  held.release();
  await expect(page.getByText('image debian')).toBeVisible();
  await prompt(page);
  await page.keyboard.type('echo "$(uname -m) and $(type -t tcc)"\n');
  await shows(page, /i686 and file/);
  await expect(pane).toHaveCount(1);
  await page.getByRole('button', { name: /^debian/ }).click();
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(1);
  // The next visit opens what was open.
  await page.reload();
  await expect(page.getByText('image debian')).toBeVisible();
  await expect(page.getByText('This shell is ready now')).toBeHidden();
});

test('S-1 B-8 work that was begun in the shell goes on in the machine when that is ready, where its user wants that', async ({
  page,
}) => {
  await page.goto(held.url);
  await prompt(page);
  await page.keyboard.type(
    'mkdir src && cd src; export WHO=me; greet() { echo "hello $WHO"; }; echo kept > file\n',
  );
  await expect(row(page, /^mkdir src/)).toBeVisible();
  await expect(page).toHaveURL(/#s=/);
  held.release();
  await page.getByRole('button', { name: 'Go on in the machine' }).click();
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await shows(page, /src\$\s*$/, 1);
  await type(page, 'echo "$(cat file) $(greet) on $(uname -m)" | tee seen', 1);
  await shows(page, 'kept hello me on i686', 1);
  // Captures go on from the files that came.
  await expect(row(page, /^echo.*tee seen/)).toBeVisible();
  // The shell is beside it as it was, and the machine that was only loaded is gone.
  await type(page, 'greet', 0);
  await shows(page, /greet\s*hello me/, 0);
  await expect(page.getByRole('button', { name: 'Go on in the machine' })).toBeHidden();
});

test('S-1 a machine that cannot be loaded leaves the shell as it is, and is loaded again when that is asked for', async ({
  page,
}) => {
  held.images = 'refused';
  await page.goto(held.url);
  await prompt(page);
  await expect(page.getByRole('alert')).toContainText('Cannot load');
  await page.keyboard.type('echo still here\n');
  await shows(page, /still here\s*user@/);
  held.release();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Stay in this shell' }).click();
  await expect(page.getByText(/^A Linux machine/)).toBeHidden();
  await page.keyboard.type('echo and now\n');
  await shows(page, /and now\s*user@/);
});

test('S-1 a site that is still making its image has a shell meanwhile, says what it does, and has the machine once it is made', async ({
  page,
}) => {
  held.images = 'making';
  await page.goto(held.url);
  await prompt(page);
  const pane = page.locator('coppice-pane');
  await expect(pane).toContainText(/as soon as this site has made its image \(Unpack packages\)/);
  await page.goto(`${held.url}?start=machine`);
  await expect(page.locator('coppice-progress')).toContainText('still making the image (Unpack packages)');
  held.release();
  await expect(page.getByText('image debian')).toBeVisible();
});

longTest(
  'S-1 who wants to wait for the machine says so in the address, or once for all visits',
  async ({ page }) => {
    await page.goto(`${held.url}?start=machine`);
    const starting = page.locator('coppice-progress');
    await expect(starting).toContainText('Downloading the image');
    await expect(page.getByText(isLoading)).toBeHidden();
    await page.getByRole('button', { name: /^Commands/ }).click();
    await page.keyboard.type('shell on first visits');
    await page.keyboard.press('Enter');
    await page.goto(held.url);
    await expect(starting).toContainText('Downloading the image');
    await expect(page.getByText(isLoading)).toBeHidden();
    await page.goto(`${held.url}?start=shell`);
    await expect(page.getByText(isLoading)).toBeVisible();
  },
);

longTest('B-1 what is typed while the machine loads is run once its shell is there', async ({ page }) => {
  await page.goto(`${held.url}?start=machine`);
  await expect(page.locator('coppice-progress')).toContainText('Downloading the image');
  await type(page, 'echo "$(uname -m) has it"');
  held.release();
  await shows(page, 'i686 has it');
});
