import { expect, type Page } from '@playwright/test';
import { demos } from '../../examples/demos/index.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import { runsLong } from '../runs-long.ts';
import { prompt, serveSite, shows, type } from './tab/drive-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

/** What shows, at a continued demo's prompt, that its files are there. */
const proofs: Readonly<Record<string, { readonly command: string; readonly shows: string }>> = {
  'break-a-computer': { command: 'cat ~/project/main.c', shows: 'return 7' },
  'c-lab-with-checks': { command: 'cd ~/lab && make check', shows: '4 of 4' },
  tutorial: { command: 'cd ~/project && git status', shows: 'main.c' },
  'race-two-fixes': { command: 'js test.js', shows: '3 passed' },
  'agent-repairs-a-test': { command: 'cd ~/shop && js test.js', shows: '2 tests passed' },
  'learn-git-with-a-past': { command: 'cat ~/garden/notes.txt', shows: 'Sow in March.' },
};

async function openDemo(page: Page, title: string): Promise<void> {
  await page.goto(`${site.url}demos/`);
  await page.getByRole('link', { name: title }).click();
  await expect(continueButton(page)).toBeVisible();
}

/** Notes of demos begin with the same words, and are buttons too. */
const continueButton = (page: Page) => page.getByRole('button', { name: 'Continue from here', exact: true });

/** One of those that continue in a machine is a sample; players of `replay.e2e.ts` continue in a shell. */
const chosen = Object.entries(demos).filter(([name]) => runsLong || name === 'break-a-computer');

for (const [name, { title }] of chosen) {
  test(`P-9 the demo ${name} opens from its link, plays, and goes on live`, async ({ page }) => {
    await openDemo(page, title);
    const time = page.getByRole('slider', { name: 'Time' });
    await page.getByRole('button', { name: 'Play' }).click();
    await expect(page.getByRole('region', { name: 'What the terminal shows' })).toContainText('$ ');

    await time.focus();
    await page.keyboard.press('End');
    await continueButton(page).click();
    await prompt(page);
    const proof = proofs[name] ?? { command: '', shows: 'no proof' };
    await type(page, proof.command);
    await shows(page, proof.shows);
  });
}
