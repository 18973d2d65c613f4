import { expect, type Locator, type Page, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { type GitServer, gitUser, openGitServer, whatGitLacks } from '../http/git-server.ts';
import { inLongRun } from '../runs-long.ts';
import { auditPage } from './page/audit-page.ts';
import { prompt, row, serveSite, shows, type } from './tab/drive-page.ts';
import { allowPages, expectPushed, makeRepository, repository } from './tab/git-repository.ts';
import { openShell } from './tab/open-shell.ts';
import { searchStorage } from './tab/search-storage.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('S-1 B-8 what runs a new sandbox is chosen by key: each place says what it does and costs, or why it is unavailable', async ({
  context,
}) => {
  const page = await openShell(context, site.url);
  await page.getByRole('button', { name: /^first shell/ }).click();
  await page.getByRole('button', { name: 'New sandbox' }).click();
  const dialog = page.getByRole('dialog', { name: 'New sandbox' });
  const machine = dialog.getByRole('radio', { name: 'Machine in this tab' });
  await expect(machine).toHaveAccessibleDescription(/its own kernel.*It takes 128 MiB/);
  await expect(dialog.getByRole('radio', { name: 'WebContainer in this tab' })).toBeDisabled();
  const host = dialog.getByRole('radio', { name: 'Jail on a host' });
  await expect(host).toBeDisabled();
  await expect(host).toHaveAccessibleDescription(/No host is known here/);
  // Another like the active one is a key away; the machine would be one more.
  const shell = dialog.getByRole('radio', { name: 'Shell in this tab' });
  await expect(shell).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(machine).toBeChecked();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: /^first shell/ })).toBeHidden();
  await prompt(page);
  await type(page, 'echo new > file');
  await expect(row(page, /^echo new/)).toBeVisible();

  const why = page.getByRole('tooltip');
  await page.getByRole('button', { name: 'in this tab' }).focus();
  await expect(why).toBeVisible();
  await expect(why).toHaveText(/^It was made as a shell in this tab\. Bash with files/);
  await page.keyboard.press('Escape');
  await expect(why).toBeHidden();
  await expect(page.locator('coppice-status-bar')).not.toContainText(/^\s*\d+ MiB/);
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type('new in this tab');
  await expect(page.getByRole('listbox', { name: 'Commands' }).getByRole('option')).toHaveText([
    'New machine in this tab',
    'New shell in this tab',
  ]);
});

test('B-7 I-3 a repository is cloned in the page, edited, staged, committed and pushed; the password is nowhere', async ({
  context,
}) => {
  const lack = await whatGitLacks();
  test.skip(lack !== undefined, `no git server here: ${lack}`);
  await using server = await openGitServer({ isPlain: true });
  await makeRepository(server);
  const page = await openShell(context, site.url);
  await type(page, 'git clone https://git.example.org/one');
  await page.getByRole('button', { name: 'Open git' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Git' });
  await expect(panel).toContainText('There is no repository in /home/user yet');
  await panel.getByLabel('Address of the repository').fill(server.url(`/${repository}`));
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('alert')).toContainText('add a host whose bridge forwards');

  allowPages(server, new URL(site.url).origin);
  await panel.getByRole('button', { name: 'Clone' }).click();
  await signIn(panel, 'wrong');
  await expect(panel.getByRole('alert')).toContainText('Check the user and the password');
  await panel.getByRole('button', { name: 'Clone' }).click();
  await signIn(panel, gitUser.password, { keep: true });
  await expect(panel.getByText('Nothing has changed since the last commit.')).toBeVisible();
  await expect(panel.getByRole('combobox', { name: 'Branch' })).toHaveValue('main');

  await type(page, 'echo two >> project/file; echo new > project/other');
  const changes = panel.getByRole('list', { name: 'Changes' });
  await expect(changes.getByRole('listitem')).toHaveCount(2);
  await changes.getByRole('button', { name: 'modified file' }).click();
  const diff = panel.getByRole('table', { name: 'Text diff' });
  await expect(diff.locator('tr.added .text')).toHaveText('two');
  await expect(diff.locator('tr.same .text')).toHaveText('one');
  expect(await page.evaluate(auditPage, 24)).toEqual([]);
  await panel.getByRole('button', { name: 'Stage all' }).click();
  await expect(panel.getByText('Staged everything.')).toBeVisible();
  const staged = panel.getByRole('list', { name: 'Staged' });
  await expect(staged.getByRole('listitem')).toHaveCount(2);
  await staged.getByRole('button', { name: 'Unstage other' }).click();
  await expect(changes.getByRole('button', { name: 'untracked other' })).toBeVisible();

  await panel.getByLabel('Message of the commit').fill('second');
  await panel.getByRole('button', { name: 'Commit 1 file' }).click();
  await expect(panel.getByRole('alert')).toContainText('Name the author');
  await panel.getByLabel('Name', { exact: true }).fill('Ada');
  await panel.getByLabel('E-mail').fill('ada@example.org');
  await panel.getByRole('button', { name: 'Commit 1 file' }).click();
  await expect(panel.getByRole('button', { name: 'Nothing is staged' })).toBeDisabled();
  await panel.getByRole('button', { name: 'Commits' }).click();
  const commits = panel.getByRole('list', { name: 'Commits' }).getByRole('listitem');
  await expect(commits).toHaveText([/second/, /first/]);
  // It was kept until the page is closed, and is asked for no more.
  await panel.getByRole('button', { name: 'Push' }).click();
  await expect.poll(() => pushed(server.requests)).toBe(1);
  await expect(panel.getByText('Pushed main to origin.')).toBeVisible();
  await expectPushed(server, await commitOf(page));

  await panel.getByRole('button', { name: 'New branch' }).click();
  await page.keyboard.type('topic');
  await page.keyboard.press('Enter');
  const branch = panel.getByRole('combobox', { name: 'Branch' });
  await expect(branch).toHaveValue('topic');
  await branch.selectOption('main');
  await panel.getByRole('button', { name: 'Check out' }).click();
  await expect(panel.getByText('Checked out main.')).toBeVisible();
  await branch.selectOption('topic');
  await panel.getByRole('button', { name: 'Check out' }).click();
  await expect(panel.getByText('Checked out topic.')).toBeVisible();
  await type(page, 'git -C project branch; echo all-read');
  await shows(page, /\* topic\s*all-read/);
  await expectNowhere(page, server);
});

// `tab-first-visit.e2e.ts` goes on from a shell in a machine too.
inLongRun(test)(
  'B-8 a command that a shell lacks goes on in a machine of the tab, with files, directory, variables and functions, and back',
  async ({ context }) => {
    const page = await openShell(context, site.url);
    await type(
      page,
      'mkdir -p /srv/work src && cd src; export WHO=me; greet() { echo "hello $WHO"; }; ln -s a.c link',
    );
    await type(page, `echo 'int main(void) { return 7; }' > a.c; echo kept > /srv/work/file; chmod 700 a.c`);
    const panes = page.locator('coppice-pane');
    const goOn = async () => {
      await type(page, 'tcc -o a a.c');
      await expect(page.getByText('tcc is not in this shell; a machine may have it')).toBeVisible();
      await page.getByRole('button', { name: 'Run in a machine' }).last().click();
      await expect(panes).toHaveCount(2);
    };
    // The notice that offers it leaves by itself.
    await goOn();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(panes).toHaveCount(1);

    await goOn();
    await shows(page, /src\$\s*$/, 1);
    await type(page, 'tcc -o a link; ./a; echo "$? $(stat -c %a a.c) $(greet) $(cat /srv/work/file)"', 1);
    await shows(page, /7 700 hello me kept/, 1);
    await page.getByRole('button', { name: 'in this tab' }).focus();
    await expect(page.getByRole('tooltip')).toHaveText(
      /^It came from the shell “first shell”: tcc is not in this shell; a machine may have it\. A Debian/,
    );
    await expect(row(page, /^from “first shell”/)).toBeVisible();
    // What the shell had is as it was, in its own pane.
    await type(page, 'ls; greet');
    await shows(page, /a\.c\s*link\s*hello me/);
  },
);

test('B-9 a shell goes on on a host that the page knows, in the same directory with the same files', async ({
  context,
}) => {
  const lack = await whatMovesLack();
  test.skip(lack !== undefined, `no jails for sandboxes of tabs here: ${lack}`);
  await using bridge = await startBridgeProcess({ allowOrigin: new URL(site.url).origin });
  const page = await openShell(context, site.url);
  await type(page, 'mkdir src && cd src && echo kept > file && export WHO=me');
  await expect(row(page, /^mkdir src/)).toBeVisible();
  await page.getByRole('button', { name: 'Run on host' }).click();
  const dialog = page.getByRole('dialog', { name: 'Hosts' });
  await dialog.getByLabel('Address of the bridge').fill(bridge.url);
  await dialog.getByLabel('Token', { exact: true }).fill(bridge.token);
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Run here' }).click();
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await shows(page, /src\$\s*$/, 1);
  await type(page, 'echo "$(cat file) by $WHO in $(uname -o)"', 1);
  await shows(page, 'kept by me in GNU/Linux', 1);
});

/** Neither in the sandbox's files, nor in anything that the page stores, nor in an address. */
async function expectNowhere(page: Page, server: GitServer): Promise<void> {
  const { name, password } = gitUser;
  const header = Buffer.from(`${name}:${password}`).toString('base64');
  // The patterns do not match themselves, since the shell keeps its lines in a file.
  const pattern = (word: string): string => `${word.slice(0, -1)}[${word.slice(-1)}]`;
  const count = (...words: string[]): string =>
    `$(grep -rlE '${words.map(pattern).join('|')}' / 2>/dev/null | wc -l)`;
  await type(page, `echo "found:${count(password, header)}:"`);
  await shows(page, /found:\s*0:/);
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).not.toContain(password);
  expect(stored).not.toContain(header);
  // The name of the sandbox shows that the search reads what is stored.
  const search = await searchStorage(page, [password, header, 'first shell']);
  expect(search).toMatchObject({ found: ['first shell'] });
  expect(search.files).toBeGreaterThan(0);
  expect(server.requests.map(({ url }) => url).join()).not.toContain(password);
}

async function signIn(panel: Locator, password: string, { keep = false } = {}): Promise<void> {
  const form = panel.getByRole('form', { name: /^Sign in at http/ });
  await expect(form.getByLabel('User')).toBeFocused();
  await expect(form).toContainText('goes to that server only');
  await form.getByLabel('User').fill(gitUser.name);
  await form.getByLabel('Password or token').fill(password);
  if (keep) await form.getByLabel('Use it again').check();
  await form.getByRole('button', { name: 'Sign in' }).click();
}

function pushed(
  requests: readonly { readonly url?: string | undefined; readonly method?: string | undefined }[],
) {
  const signed = requests.filter(({ url, method }) => method === 'POST' && url?.endsWith('git-receive-pack'));
  return Math.min(1, signed.length);
}

/** The full id of HEAD, which the panel abbreviates. */
async function commitOf(page: Page): Promise<string> {
  await type(page, 'git -C project rev-parse HEAD');
  await shows(page, /[0-9a-f]{40}/);
  const text = await page.locator('.xterm-rows').first().textContent();
  return /[0-9a-f]{40}/.exec(text ?? '')?.[0] ?? '';
}
