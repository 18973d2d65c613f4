import { expect, type Page } from '@playwright/test';
import { demos } from '../../examples/demos/index.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import { inLongRun, runsLong } from '../runs-long.ts';
import { prompt, screen, serveSite, shows, type } from './tab/drive-page.ts';
import { serveSiteWith } from './tab/serve-site-with.ts';
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
  'express-rewound': {
    command:
      'cd ~/basket && (node server.js &) && curl -s --retry 999 --retry-delay 1 --retry-connrefused localhost:3000',
    shows: '"total":7',
  },
  tutorial: { command: 'cd ~/project && git status', shows: 'main.c' },
  'race-two-fixes': { command: 'js test.js', shows: '3 passed' },
  'agent-repairs-a-test': { command: 'cd ~/shop && js test.js', shows: '2 tests passed' },
  'learn-git-with-a-past': { command: 'cat ~/garden/notes.txt', shows: 'Sow in March.' },
};

/** Node takes minutes to load Express in an emulated machine of a busy host. */
const loadMs = 1_200_000;

async function openDemo(page: Page, title: string, { url } = site): Promise<void> {
  await page.goto(`${url}demos/`);
  await page.getByRole('link', { name: title }).click();
  await expect(continueButton(page)).toBeVisible();
}

/** Notes of demos begin with the same words, and are buttons too. */
const continueButton = (page: Page) => page.getByRole('button', { name: 'Continue from here', exact: true });

async function continueAtEnd(page: Page): Promise<void> {
  await page.getByRole('slider', { name: 'Time' }).focus();
  await page.keyboard.press('End');
  await continueButton(page).click();
}

/** One of those that continue in a machine is a sample; players of `replay.e2e.ts` continue in a shell. */
const chosen = Object.entries(demos).filter(([name]) => runsLong || name === 'break-a-computer');

for (const [name, { title, image }] of chosen) {
  test(`P-9 the demo ${name} opens from its link, plays, and goes on live`, async ({ page }) => {
    test.setTimeout(2 * loadMs);
    // The machines of other images are in this one.
    await using own = image === undefined || image === 'debian' ? undefined : await serveSiteWith(image);
    await openDemo(page, title, own);
    await page.getByRole('button', { name: 'Play' }).click();
    await expect(page.getByRole('region', { name: 'What the terminal shows' })).toContainText('$ ');
    await continueAtEnd(page);
    await prompt(page);
    const proof = proofs[name] ?? { command: '', shows: 'no proof' };
    await type(page, proof.command);
    await expect(screen(page)).toContainText(proof.shows, { timeout: loadMs });
  });
}

inLongRun(test)(
  'P-9 a demo of an image that the site does not have says which, and goes on with its files',
  async ({ page }) => {
    await openDemo(page, demos['express-rewound']?.title ?? '');
    await continueAtEnd(page);
    await expect(page.getByRole('alert')).toContainText('node');
    await page.getByRole('combobox', { name: 'Where to continue' }).selectOption('files');
    await continueButton(page).click();
    await prompt(page);
    await type(page, 'ls ~/basket');
    await shows(page, 'server.js');
  },
);
