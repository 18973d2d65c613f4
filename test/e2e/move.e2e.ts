import { expect, type Page } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { type BridgeProcess, startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { openWithBridge } from './tab/add-bridge.ts';
import { prompt, row, serveSite, shows, type } from './tab/drive-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
let bridge: BridgeProcess;

test.beforeAll(async () => {
  const lack = await whatMovesLack();
  test.skip(lack !== undefined, `no jails for sandboxes of tabs here: ${lack}`);
  site = await serveSite();
  bridge = await startBridgeProcess({ allowOrigin: new URL(site.url).origin });
});
test.afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

/** The ids that both panes know, as the SDK of the page's own elements tells them. */
function knownIds(page: Page, pane: number): Promise<string[]> {
  return page
    .locator('coppice-pane')
    .nth(pane)
    .evaluate((element) => {
      const { model } = element as unknown as {
        model: { state: { history?: { snapshots: { id: string }[] } } };
      };
      return (model.state.history?.snapshots ?? []).map(({ id }) => id);
    });
}

test('X-1 B-9 work goes on on a host, in the same directory with its variables, and comes back under its id', async ({
  page,
}) => {
  await openWithBridge(page, { site, bridge });
  await type(page, 'mkdir work && cd work && export GREETING="from the tab"');
  await expect(row(page, /^mkdir work/)).toBeVisible();
  await type(page, "echo 'int main(void) { return 42; }' > main.c");
  await expect(row(page, /^echo 'int main/)).toBeVisible();
  await page.getByRole('button', { name: 'Run on host' }).click();
  await expect(page.getByRole('heading', { name: /· on 127\.0\.0\.1/ })).toBeVisible();
  await prompt(page, 1);
  await type(page, 'pwd; echo "$GREETING"; uname -m; tcc -o main main.c && ls', 1);
  await shows(page, /\/home\/user\/work\s*from the tab\s*x86_64\s*main\s+main\.c/, 1);
  await expect(row(page, /tcc -o main main\.c/)).toBeVisible();
  await page.getByRole('button', { name: 'Bring back' }).click();
  const broughtBack = page.getByText(/Brought back from 127/);
  // A notice stays while the pointer is on it.
  await broughtBack.hover();
  await shows(page, /started anew[\s─]*user@coppice:~\/work\$\s*$/);
  await type(page, './main; echo "status $? $GREETING"; pwd; uname -m');
  await broughtBack.hover();
  await shows(page, /status 42 from the tab\s*\/home\/user\/work\s*i686/);
  const [here, there] = [await knownIds(page, 0), await knownIds(page, 1)];
  expect(there.length).toBeGreaterThan(1);
  expect(here).toEqual(expect.arrayContaining(there));
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await shows(page, /started anew[\s─]*user@coppice:~\$\s*$/);
  await type(page, 'ls work');
  await shows(page, /ls work\s*main\.c\s*user@/);
});

test('B-8 a command that this tab is too small for is remarked with the reason, and can be taken to the host', async ({
  page,
}) => {
  await openWithBridge(page, { site, bridge });
  await type(page, "printf '\\x7fELF\\x02\\x01\\x01%057d' 0 > wide; chmod +x wide; ./wide");
  const remark = page
    .getByRole('status')
    .filter({ hasText: 'for 64-bit processors, and this tab has 32 bits' });
  await expect(remark).toContainText('“printf');
  await remark.getByRole('button', { name: 'Not now' }).click();
  await expect(remark).toBeHidden();
  await type(page, 'tail /dev/zero');
  await shows(page, /Killed/);
  const lack = page
    .getByRole('status')
    .filter({ hasText: '“tail /dev/zero”: it needs more memory than the 128 MiB' });
  await lack.getByRole('button', { name: 'Run on host' }).click();
  await prompt(page, 1);
  await expect(lack).toBeHidden();
  await expect(page.locator('coppice-status-bar')).toContainText('1024 MiB');
});

/** A token of the bridge for a page, and how to revoke it. */
async function newToken(): Promise<{ token: string; revoke: () => Promise<void> }> {
  const headers = { authorization: `Bearer ${bridge.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'page', scope: 'all', access: 'write' });
  const answer = await fetch(`${bridge.url}/v1/tokens`, { method: 'POST', headers, body });
  const { id, token } = await answer.json();
  const revoke = async () => {
    const { authorization } = headers;
    const revoked = await fetch(`${bridge.url}/v1/tokens/${id}`, {
      method: 'DELETE',
      headers: { authorization },
    });
    expect(revoked.status).toBe(204);
  };
  return { token, revoke };
}

async function addAgain(page: Page, token: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Hosts' });
  await page.getByRole('button', { name: /^on 127/ }).click();
  await dialog.getByLabel('Address of the bridge').fill(bridge.url);
  await dialog.getByLabel('Token', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('connected', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
}

test('B-9 a pane whose token ended opens again when its host gets another, and by itself when that was before', async ({
  page,
}) => {
  const [first, second, third] = [await newToken(), await newToken(), await newToken()];
  await openWithBridge(page, { site, bridge: { ...bridge, token: first.token } });
  await page.getByRole('button', { name: 'Run on host' }).click();
  await prompt(page, 1);
  await type(page, 'touch kept', 1);
  await expect(row(page, /^touch kept/)).toBeVisible();
  await first.revoke();
  const pane = page.locator('coppice-pane').nth(1);
  await expect(pane.getByRole('alert')).toContainText('Connect again with a token that is valid');
  await addAgain(page, second.token);
  await shows(page, /──── opened again ────\s*user@coppice:~\$\s*$/, 1);
  await type(page, 'ls; SHELL_OF=second', 1);
  await shows(page, /kept/, 1);
  await addAgain(page, third.token);
  await type(page, 'echo "still $SHELL_OF"', 1);
  await shows(page, /still second/, 1);
  await second.revoke();
  // Another shell, below what the one before has said.
  await shows(page, /still second\s*user@coppice:~\$\s*──── opened again ────\s*user@coppice:~\$\s*$/, 1);
  await type(page, 'echo "<$SHELL_OF>"; ls', 1);
  await shows(page, /<>\s*kept/, 1);
});

test('B-9 a reload opens the pane of a host again with its sandbox; without a token it says so, and asks for one', async ({
  page,
  context,
}) => {
  await openWithBridge(page, { site, bridge });
  await page.getByRole('button', { name: 'Run on host' }).click();
  await prompt(page, 1);
  await type(page, 'echo there > kept', 1);
  await expect(row(page, /^echo there/)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: /· on 127\.0\.0\.1/ })).toBeVisible();
  await prompt(page, 1);
  await type(page, 'cat kept; echo again-$((1+1))', 1);
  await shows(page, /there\s*again-2/, 1);

  // The address alone, in a tab that never had the token.
  const other = await context.newPage();
  await other.goto(page.url());
  const pane = other.locator('coppice-pane').nth(1);
  await expect(pane.getByRole('alert')).toContainText('this browser has no token for it');
  await pane.getByRole('button', { name: 'Enter a token' }).click();
  const dialog = other.getByRole('dialog', { name: 'Hosts' });
  await expect(dialog.getByLabel('Address of the bridge')).toHaveValue(bridge.url);
  await expect(dialog.getByLabel('Token', { exact: true })).toBeFocused();
  await other.keyboard.insertText(bridge.token);
  await other.keyboard.press('Enter');
  await expect(dialog.getByText('connected', { exact: true })).toBeVisible();
  await other.keyboard.press('Escape');
  await prompt(other, 1);
  await type(other, 'cat kept', 1);
  await shows(other, /cat kept\s*there/, 1);
});
