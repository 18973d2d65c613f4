import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { inLongRun, runsLong } from '../runs-long.ts';
import { openWithBridge } from './tab/add-bridge.ts';
import { prompt, row, runLine, serveSite, shows, type } from './tab/drive-page.ts';
import { holdImages } from './tab/held-site.ts';
import { openShell } from './tab/open-shell.ts';
import { test } from './tab/visit-test.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

/** `COPPICE_SCREENSHOTS=docs/screenshots npx playwright test screenshots` renews those in docs/. */
const folder = process.env.COPPICE_SCREENSHOTS ?? 'test-results/screenshots';
const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

longTest('a first visit: a shell to use while the machine loads', async ({ page }) => {
  await using held = await holdImages(site);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${held.url}?start=shell`);
  await prompt(page);
  await type(page, 'mkdir notes && cd notes; seq 3 > today; cat today');
  await expect(row(page, /^mkdir notes/)).toBeVisible();
  await expect(page.locator('coppice-pane')).toContainText(/loading, [\d.]+ of [\d.]+ MiB\. This shell/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `first-visit-${colorScheme}.png`) });
  }
});

longTest(
  'the choice of what runs a sandbox, the git panel, and a shell that went on in a machine fit every screen',
  async ({ context }) => {
    const page = await openShell(context, site.url);
    await page.getByRole('button', { name: /^first shell/ }).click();
    await page.getByRole('button', { name: 'New sandbox' }).click();
    await shoot(page, 'choice');
    await page.keyboard.press('Escape');
    await runLine(page, 'git config --global user.name Ada; git config --global user.email ada@example.org');
    await type(
      page,
      'git init -q project; cd project; seq 8 > list; git add .; git commit -qm "Begin the list"',
    );
    await prompt(page);
    await type(
      page,
      'printf "#include <stdio.h>\\nint main(void) { puts(\\"hello\\"); }\\n" > main.c; git add main.c',
    );
    await prompt(page);
    await runLine(page, 'sed -i "s/4/four/; 7d" list; echo nine >> list');
    await page.getByRole('tab', { name: 'Git' }).click();
    await page.getByRole('button', { name: 'modified list' }).click();
    await expect(page.getByRole('table', { name: 'Text diff' })).toBeVisible();
    await shoot(page, 'git');
    await type(page, 'tcc -o main main.c');
    await page.getByRole('button', { name: 'Run in a machine' }).last().click();
    await shows(page, /project\$\s*$/, 1);
    await type(page, 'tcc -o main main.c && ./main', 1);
    await shows(page, /hello\s*user/, 1);
    await shoot(page, 'machine');
  },
);

/** At the sizes of a telephone and a laptop, light and dark: that of the laptop is for docs/. */
async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of sizes.slice(0, 2)) {
      await page.setViewportSize(viewport);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${name} at ${viewport.width} px`).toBeLessThanOrEqual(0);
      const width = viewport.width === 1280 ? '' : `-${viewport.width}`;
      await page.screenshot({ path: join(folder, `${name}${width}-${colorScheme}.png`) });
    }
  }
}

// What is in these pictures has tests of its own: every width in page-elements.e2e.ts, a page with a host in that of moves.
if (runsLong || process.env.COPPICE_SCREENSHOTS) {
  test('a real session fits every screen, light and dark', async ({ page }) => {
    await page.goto(site.url);
    await prompt(page);
    await type(page, 'mkdir hello && cd hello && git init -q');
    await expect(row(page, /^mkdir hello/)).toBeVisible();
    await type(page, 'printf \'#include <stdio.h>\\nint main(void) { puts("hello"); }\\n\' > main.c');
    await expect(row(page, /^printf/)).toBeVisible();
    await type(page, 'tcc -o hello main.c && ./hello');
    await expect(row(page, /^tcc -o hello/)).toBeVisible();
    await row(page, /^printf/).click();
    await page.getByRole('combobox', { name: 'What goes back' }).selectOption('files only');
    await page.getByRole('button', { name: 'Go back' }).click();
    // Notices leave by themselves.
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await shows(page, /programs started anew[\s─]*user@coppice/);
    await type(page, "cd hello && sed -i 's/hello/goodbye/' main.c && cat main.c");
    await row(page, /^cd hello && sed/).click();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of sizes) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${viewport.width} px`).toBeLessThanOrEqual(0);
        await page.screenshot({ path: join(folder, `${viewport.width}-${colorScheme}.png`) });
      }
    }
  });

  test('steps under one row, a state of the past that is shown, and two sandboxes compared', async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(site.url);
    await prompt(page);
    await type(page, 'for i in 1 2 3; do echo $i > file-$i; sleep 1.5; done');
    const folded = row(page, /^for i in/);
    await expect(folded).toHaveAttribute('aria-expanded', 'false');
    await folded.click();
    await page.keyboard.press('ArrowRight');
    await expect(folded).toHaveAttribute('aria-expanded', 'true');
    await page.screenshot({ path: join(folder, 'steps-light.png') });

    await page.getByRole('button', { name: 'Previous snapshot' }).click();
    await expect(page.getByRole('toolbar', { name: 'The state that is shown' })).toBeVisible();
    await expect(page.getByText(/^[1-3] files? changed$/)).toBeVisible();
    await page.screenshot({ path: join(folder, 'past-light.png') });
    await page.keyboard.press('Escape');

    await folded.click();
    await page.keyboard.press('f');
    await prompt(page, 1);
    await type(page, 'echo of-the-fork > file-2', 1);
    await page.getByRole('button', { name: /^with / }).click();
    await expect(page.getByText('1 file different')).toBeVisible();
    await page.getByRole('button', { name: /file-2/ }).click();
    await expect(page.getByRole('table', { name: 'Text diff' })).toBeVisible();
    await page.screenshot({ path: join(folder, 'compare-light.png') });
  });

  test('B-9 work that goes on on a host fits beside that in the tab, light and dark', async ({ page }) => {
    const lack = await whatMovesLack();
    test.skip(lack !== undefined, `no jails for sandboxes of tabs here: ${lack}`);
    await using bridge = await startBridgeProcess({ allowOrigin: new URL(site.url).origin });
    await page.setViewportSize({ width: 1280, height: 800 });
    await openWithBridge(page, { site, bridge });
    await type(page, 'mkdir hello && cd hello');
    await expect(row(page, /^mkdir hello/)).toBeVisible();
    await type(page, 'printf \'#include <stdio.h>\\nint main(void) { puts("hello"); }\\n\' > main.c');
    await expect(row(page, /^printf/)).toBeVisible();
    await page.getByRole('button', { name: 'Run on host' }).click();
    await prompt(page, 1);
    await type(page, 'time tcc -o hello main.c && ./hello', 1);
    await expect(row(page, /^time tcc/)).toBeVisible();
    await page.getByRole('button', { name: /^on 127/ }).click();
    await expect(
      page.getByRole('dialog', { name: 'Hosts' }).getByText('connected', { exact: true }),
    ).toBeVisible();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `hosts-${colorScheme}.png`) });
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Bring back' }).click();
    await shows(page, /started anew[\s─]*user@coppice:~\/hello\$\s*$/);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `move-${colorScheme}.png`) });
    }
  });
}
