import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { type StaticServer, serveFolder } from '../../scripts/static-server.ts';

let site: StaticServer;

test.beforeAll(async () => {
  site = await serveFolder(join(import.meta.dirname, '../../dist/site'), { port: 0 });
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('B-1 B-2 B-3 R-3: boot, work, break, go back, fork, reload, go offline, and all is there', async ({
  page,
  context,
}) => {
  await page.goto(site.url);
  await prompt(page);

  await type(page, 'python3 -c "print(6*7)"');
  await shows(page, '42');
  await type(
    page,
    'git init -q p && cd p && echo hi > a && git add a && git -c user.name=a -c user.email=a@b commit -qm first && git log --format=commit-%s',
  );
  await shows(page, 'commit-first');
  await type(page, "echo 'int main(){return 7;}' > a.c && tcc -o a.out a.c; ./a.out; echo exit-$?");
  await shows(page, 'exit-7');
  await expect(row(page, /tcc -o a.out/)).toBeVisible();

  await type(page, 'touch before && echo mark-$((1+1))');
  await shows(page, 'mark-2');
  await expect(row(page, /^touch before/)).toBeVisible();

  await type(page, 'su -c "rm -rf /usr/bin /usr/lib/git-core"; echo broken-$((1+2))');
  await shows(page, 'broken-3');
  await expect(row(page, /rm -rf \/usr\/bin/)).toBeVisible();
  await row(page, /^touch before/).click();
  await page.keyboard.press('Enter');
  await expect(screen(page)).toContainText(/programs started anew[\s─]*user@coppice:~\$/, {
    timeout: 60_000,
  });
  await type(page, 'git --version && ls p/a.c && echo back-$((2+3))');
  await shows(page, 'back-5');

  await page.reload();
  await prompt(page);
  await expect(row(page, /rm -rf \/usr\/bin/)).toBeVisible();
  await type(page, 'cat p/a && echo reloaded-$((3+4))');
  await shows(page, 'reloaded-7');

  await expect(page.getByText('offline ready')).toBeVisible({ timeout: 60_000 });
  await context.setOffline(true);
  await page.reload();
  await prompt(page);
  await type(page, 'ls p && echo offline-$((4+5))');
  await shows(page, 'offline-9');
  await expect(row(page, /^touch before/)).toBeVisible();
});

function row(page: Page, name: RegExp): Locator {
  return page.getByRole('treeitem', { name }).first();
}

function screen(page: Page): Locator {
  return page.locator('coppice-terminal:not([hidden]) .xterm-rows').first();
}

async function prompt(page: Page): Promise<void> {
  await expect(screen(page)).toContainText(/[$#]\s*$/, { timeout: 60_000 });
}

async function type(page: Page, line: string): Promise<void> {
  await page.locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.type(`${line}\n`);
}

async function shows(page: Page, text: string): Promise<void> {
  await expect(screen(page)).toContainText(text, { timeout: 60_000 });
}
