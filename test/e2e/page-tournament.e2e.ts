import { expect, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { inLongRun } from '../runs-long.ts';
import { auditPage } from './page/audit-page.ts';
import { row, serveSite, shows, type } from './tab/drive-page.ts';
import { openShell } from './tab/open-shell.ts';
import { openSdkPage } from './tab/sdk-page.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('X-4 candidates are raced from the palette; losers are gone, and the winner is HEAD, or a pane of its own', async ({
  context,
}) => {
  const page = await openShell(context, site.url);
  await type(page, 'echo 0 > value');
  await expect(row(page, /^echo 0/)).toBeVisible();
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type('race');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Race candidates in “first shell”' });
  await expect(dialog.getByLabel('Candidates, one a line')).toBeFocused();
  await page.keyboard.type('echo 1 > value; sleep 600\necho 2 > value\nexit 3');
  await dialog.getByLabel('Test, run after each').fill('echo "value is $(cat value)"; grep -q 2 value');
  await page.keyboard.press('Enter');
  const rows = dialog.getByRole('table', { name: 'Candidates' }).getByRole('row');
  await expect(dialog.getByRole('status')).toHaveText('Candidate 2 won the race.');
  await expect(rows.nth(1)).toContainText(/candidate 2 passed first.*ended/s);
  await expect(rows.nth(2)).toContainText(/its test passed first.*won/s);
  await expect(rows.nth(3)).toContainText(/the command exited with 3|candidate 2 passed first/);
  await dialog.getByLabel('Output of candidate 2').click();
  await expect(rows.nth(2)).toContainText('value is 2');
  expect(await page.evaluate(auditPage, 24)).toEqual([]);

  await dialog.getByRole('button', { name: 'Open winner in a pane' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await type(page, 'echo "it has $(cat value)"', 1);
  await shows(page, 'it has 2', 1);
  await type(page, 'echo "this has $(cat value)"');
  await shows(page, 'this has 0');
});

test('X-4 a race goes on while its dialog is closed, is stopped, and is judged by a number; the winner becomes HEAD', async ({
  context,
}) => {
  const page = await openShell(context, site.url);
  const open = async () => {
    await page.getByRole('button', { name: /^Commands/ }).click();
    await page.keyboard.type('race');
    await page.keyboard.press('Enter');
  };
  await open();
  const dialog = page.getByRole('dialog', { name: 'Race candidates' });
  await dialog.getByLabel('Candidates, one a line').fill('sleep 600');
  await dialog.getByLabel('Test, run after each').fill('echo "score: $(cat value)"');
  await dialog.getByRole('button', { name: 'Race', exact: true }).click();
  await expect(dialog.getByRole('cell', { name: 'runs' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await open();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await expect(dialog.getByRole('alert')).toContainText('aborted');
  await dialog.getByRole('button', { name: 'Back' }).click();
  await dialog.getByLabel('Candidates, one a line').fill('echo 5 > value\necho 7 > value\necho 6 > value');
  await dialog.getByLabel('Winner').selectOption('The one with the largest number');
  await dialog.getByLabel(/number in the test/).fill('score: (\\d+)');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('status')).toHaveText('Candidate 2 won the race.');
  await expect(dialog.getByRole('row').nth(2)).toContainText(/won.*7\s*$/s);
  await dialog.getByRole('button', { name: 'Go to the winner' }).click();
  await expect(page.getByText(/^Went back to “tournament: echo 7 > value”|^Went back to/)).toBeVisible();
  await type(page, 'echo "it has $(cat value)"');
  await shows(page, 'it has 7');
  // Sandboxes of losers are not in the list.
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type('sandboxes in this browser');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Sandboxes' }).getByText('candidate')).toHaveCount(0);
});

longTest(
  'X-4 with memory each candidate begins with what runs in the machine of the tab',
  async ({ context }) => {
    const { page, module } = await openSdkPage(context, site.url);
    const seen = await page.evaluate(async (module) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      await using sandbox = await Sandbox.create();
      await sandbox.run('setsid sleep 1234 > /dev/null 2>&1 & echo begun');
      const { winner, candidates } = await sandbox.tournament({
        candidates: ['pkill -f "sleep 1234"', 'true'],
        test: 'pgrep -f "sleep 123[4]"',
        memory: true,
        keep: 'none',
        jobs: 2,
      });
      const { exitCode } = await sandbox.run('pgrep -f "sleep 123[4]"');
      return {
        winner,
        states: candidates.map(({ state }) => state),
        exitCode,
        all: (await Sandbox.list()).length,
      };
    }, module);
    expect(seen).toMatchObject({ winner: 1, exitCode: 0, all: 1 });
    expect(seen.states[0]).toMatch(/failed|cancelled/);
  },
);
