import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, type Locator, type Page, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { type GitServer, openGitServer, whatGitLacks } from '../http/git-server.ts';
import { serveSite, shows, type } from './tab/drive-page.ts';
import { allowPages, gitEnv } from './tab/git-repository.ts';
import { openShell } from './tab/open-shell.ts';

const run = promisify(execFile);
let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

const repository = 'open/project.git';

test('B-7 what others have pushed is seen after a fetch and pulled; a pull that cannot merge names the files and changes nothing', async ({
  context,
}) => {
  const lack = await whatGitLacks();
  test.skip(lack !== undefined, `no git server here: ${lack}`);
  await using server = await openGitServer({ isPlain: true });
  await onServer(
    server,
    `git init --quiet --bare --initial-branch=main ${repository}; git clone --quiet ${repository} work 2>/dev/null
    cd work; git checkout --quiet -b main; echo one > file; ${commit('first')}; git push --quiet origin main`,
  );
  allowPages(server, new URL(site.url).origin);
  const page = await openShell(context, site.url);
  await page.getByRole('tab', { name: 'Git' }).click();
  const panel = gitPanel(page);
  // Refused for want of a directory's name; the right address alone mends it.
  await panel.getByLabel('Address of the repository').fill('not an address');
  await panel.getByRole('button', { name: 'Clone' }).click();
  await expect(panel.getByRole('textbox', { name: /^Directory in/ })).toBeFocused();
  await panel.getByLabel('Address of the repository').fill(server.url(`/${repository}`));
  await panel.getByLabel(/With its whole history/).check();
  await panel.getByRole('button', { name: 'Clone' }).click();
  await expect(panel.getByText('Nothing has changed since the last commit.')).toBeVisible();

  await onServer(server, `cd work; echo two > other; ${commit('second')}; git push --quiet origin main`);
  await panel.getByRole('button', { name: 'Fetch' }).click();
  await expect(panel.getByRole('img', { name: '1 behind origin/main' })).toBeVisible();
  await panel.getByRole('button', { name: 'Pull' }).click();
  await expect(panel.getByText('Pulled: the branch is where that of origin is.')).toBeVisible();
  await expect(panel.getByRole('img', { name: /behind/ })).toBeHidden();
  await type(page, 'cat project/other; cd project');
  await shows(page, /cat project\/other; cd project\s*two\s*user@/);

  await onServer(server, `cd work; echo theirs > file; ${commit('third')}; git push --quiet origin main`);
  await type(page, `echo ours > file; ${commit('mine')}`);
  await expect(panel.getByRole('img', { name: '1 ahead of origin/main' })).toBeVisible();
  await panel.getByRole('button', { name: 'Pull' }).click();
  // Whoever merges is the author of a commit.
  await expect(panel.getByRole('alert')).toContainText('Name the author');
  await panel.getByLabel('Name', { exact: true }).fill('Ada');
  await panel.getByLabel('E-mail').fill('ada@example.org');
  await panel.getByRole('button', { name: 'Pull' }).click();
  await expect(panel.getByRole('alert')).toContainText('both sides have changed "file"');
  await expect(panel.getByRole('alert')).toContainText('by hand');
  await expect(panel.getByRole('img', { name: '1 ahead of and 1 behind origin/main' })).toBeVisible();
  await type(page, 'cat file; git status --short');
  await shows(page, /cat file; git status --short\s*ours\s*user@/);
});

test('B-7 two panes have a git panel each: what is written, selected and staged in one is not in the other', async ({
  context,
}) => {
  const page = await openShell(context, site.url);
  await type(page, 'git init -q -b main one; cd one; echo one > file; echo two > other; git add other');
  await page.getByRole('tab', { name: 'Git' }).click();
  const panel = gitPanel(page);
  await expect(panel.getByRole('list', { name: 'Staged' }).getByRole('listitem')).toHaveCount(1);
  await page.getByRole('treeitem', { name: /^git init/ }).click();
  await page.keyboard.press('f');
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await page.getByRole('tab', { name: 'Git' }).click();
  const [first, second] = [page.locator('coppice-pane').nth(0), page.locator('coppice-pane').nth(1)];

  await first.locator('coppice-terminal').click();
  await panel.getByLabel('Message of the commit').fill('of the first pane');
  await panel.getByRole('button', { name: 'untracked file' }).click();
  await expect(panel.getByRole('button', { name: 'Close the diff' })).toBeVisible();
  await second.locator('coppice-terminal').click();
  await expect(panel.getByLabel('Message of the commit')).toHaveValue('');
  await expect(panel.getByRole('button', { name: 'Close the diff' })).toBeHidden();
  await panel.getByRole('button', { name: 'Unstage other' }).click();
  await expect(panel.getByRole('button', { name: 'Nothing is staged' })).toBeVisible();
  await first.locator('coppice-terminal').click();
  await expect(panel.getByRole('list', { name: 'Staged' }).getByRole('listitem')).toHaveCount(1);
  await expect(panel.getByLabel('Message of the commit')).toHaveValue('of the first pane');
});

test('B-7 the git panel is reached by arrow keys, and Escape leaves the name of a new branch without making one', async ({
  context,
}) => {
  const page = await openShell(context, site.url);
  await type(page, `git init -q -b main one; cd one; echo one > file; ${commit('first')}`);
  await page.getByRole('tab', { name: 'Changes' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: 'Git' })).toBeFocused();
  const panel = gitPanel(page);
  await panel.getByRole('button', { name: 'New branch' }).press('Enter');
  await expect(panel.getByLabel('Name of the new branch')).toBeFocused();
  await page.keyboard.type('topic');
  await page.keyboard.press('Escape');
  await expect(panel.getByLabel('Name of the new branch')).toBeHidden();
  await expect(panel.getByRole('button', { name: 'New branch' })).toBeFocused();
  await expect(panel.getByRole('combobox', { name: 'Branch' })).toHaveValue('main');
  await page.getByRole('tab', { name: 'Git' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: 'Files' })).toBeFocused();
});

function gitPanel(page: Page): Locator {
  return page.getByRole('tabpanel', { name: 'Git' });
}

/** In a shell: commits everything, as somebody. */
function commit(message: string): string {
  return `git add .; git -c user.name=Bob -c user.email=bob@example.org commit --quiet -m ${message}`;
}

/** Runs a script where the server's repositories are, with real git. */
async function onServer(server: GitServer, script: string): Promise<void> {
  await run('sh', ['-ec', script], { cwd: server.folder, env: gitEnv(server.folder) });
}
