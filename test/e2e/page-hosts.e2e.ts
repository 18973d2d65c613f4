import { expect, type Locator, type Page } from '@playwright/test';
import { auditPage } from './page/audit-page.ts';
import { serveBuiltPage } from './page/built-page.ts';
import { test } from './page/page-test.ts';

let site: Awaited<ReturnType<typeof serveBuiltPage>>;
const complaints: string[] = [];

test.beforeAll(async () => {
  site = await serveBuiltPage();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test.beforeEach(({ page }) => {
  complaints.length = 0;
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
});
test.afterEach(() => expect(complaints).toEqual([]));

async function open(page: Page, hash = ''): Promise<void> {
  await page.goto(`${site.url}?scenario=${hash}`);
  await expect(page.getByRole('tab', { name: /Terminal 1/ })).toBeVisible();
}

function hosts(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Hosts' });
}

/** Adds a bridge as a person does, from the button that needs one. */
async function addBridge(
  page: Page,
  url: string,
  { token = 'cpc_token', remember = false } = {},
): Promise<void> {
  await page.getByRole('button', { name: 'in this tab' }).click();
  await page.getByLabel('Address of the bridge').fill(url);
  await page.getByLabel('Token', { exact: true }).fill(token);
  if (remember) await page.getByLabel('Remember in this browser').check();
  await page.keyboard.press('Enter');
}

async function runOn(page: Page, url: string): Promise<void> {
  await open(page);
  await addBridge(page, url);
  await hosts(page).getByRole('button', { name: 'Run here' }).click();
}

test('B-8 a new sandbox is made on a host that the page knows, of an image of that; one that does not answer says so', async ({
  page,
}) => {
  await open(page);
  await addBridge(page, 'localhost:7074');
  await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
  await page.getByLabel('Address of the bridge').fill('localhost:1');
  await page.getByLabel('Token', { exact: true }).fill('cpc_token');
  await page.keyboard.press('Enter');
  await expect(hosts(page).getByText('unreachable')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: /^hello/ }).click();
  await page.getByRole('button', { name: 'New sandbox' }).click();
  const dialog = page.getByRole('dialog', { name: 'New sandbox' });
  await expect(dialog.getByRole('radio', { name: 'Jail on localhost:1', exact: true })).toBeDisabled();
  await expect(dialog).toContainText('Its bridge does not answer.');
  expect(await page.evaluate(auditPage, 24)).toEqual([]);
  await dialog.getByRole('radio', { name: 'Jail on localhost:7074' }).check();
  await dialog.getByRole('combobox', { name: 'Image' }).selectOption('debian-amd64');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('button', { name: 'on localhost:7074' })).toBeVisible();
  await expect(page.locator('coppice-title-bar')).toContainText('image debian-amd64');
  await expect(page.locator('coppice-pane')).toHaveCount(1);
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type('new jail');
  await expect(page.getByRole('listbox', { name: 'Commands' }).getByRole('option')).toHaveText([
    'New jail on localhost:7074',
  ]);
});

test.describe('the list of hosts', () => {
  test('says how to start a bridge while there is none, and that an address is none', async ({ page }) => {
    await open(page);
    await page.getByRole('button', { name: 'Run on host' }).click();
    await expect(hosts(page)).toContainText(`npm run bridge -- --allow-origin ${new URL(site.url).origin}`);
    await page.getByLabel('Address of the bridge').fill('http://bridge.example.org');
    await page.getByLabel('Token', { exact: true }).fill('x');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('need https://');
    await expect(page.getByLabel('Address of the bridge')).toBeFocused();
    await page.getByLabel('Address of the bridge').fill('localhost:7070');
    await page.getByLabel('Token', { exact: true }).fill('no token');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('This is no token of a bridge.');
    expect(await page.evaluate(auditPage, 24)).toEqual([]);
  });

  test('says what is wrong with one that does not answer, or does not take the token', async ({ page }) => {
    await open(page);
    await addBridge(page, 'localhost:1');
    await expect(hosts(page).getByText('unreachable')).toBeVisible();
    await expect(hosts(page)).toContainText('does not let this page in');
    await page.getByLabel('Address of the bridge').fill('localhost:2');
    await page.getByLabel('Token', { exact: true }).fill('right');
    await page.keyboard.press('Enter');
    await expect(hosts(page)).toContainText('there are 1024 sessions, which is the most');
    await hosts(page).getByRole('button', { name: 'Remove localhost:2', exact: true }).click();
    await page.getByLabel('Address of the bridge').fill('localhost:7070');
    await page.getByLabel('Token', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await expect(hosts(page).getByText('token refused')).toBeVisible();
    await expect(hosts(page)).toContainText('the token that it prints');
    await hosts(page).getByRole('button', { name: 'Remove localhost:1', exact: true }).click();
    await expect(hosts(page).getByText('unreachable')).toBeHidden();
    await hosts(page).getByRole('button', { name: 'New token' }).click();
    await page.keyboard.type('right');
    await page.keyboard.press('Enter');
    await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
    await expect(hosts(page).getByText('token refused')).toBeHidden();
  });

  test('B2-34 a token stays in this tab unless it is to be remembered, and a removed one is gone', async ({
    page,
  }) => {
    const kept = (): Promise<(string | null)[]> =>
      page.evaluate(() => [sessionStorage, localStorage].map((shelf) => shelf.getItem('coppice.bridges')));
    await open(page);
    await addBridge(page, 'http://localhost:7070');
    await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
    await expect.poll(kept).toEqual(['[{"url":"http://localhost:7070","token":"cpc_token"}]', '[]']);
    await page.keyboard.press('Escape');
    await addBridge(page, 'http://localhost:7070', { remember: true });
    await expect.poll(kept).toEqual(['[]', '[{"url":"http://localhost:7070","token":"cpc_token"}]']);
    await page.reload();
    await page.getByRole('button', { name: 'in this tab' }).click();
    await hosts(page).getByRole('button', { name: 'Remove localhost:7070' }).click();
    await expect.poll(kept).toEqual(['[]', '[]']);
  });

  test('what two tabs remember is in both, and a token that one is given again', async ({ page }) => {
    const other = await page.context().newPage();
    await open(other);
    await open(page);
    await addBridge(page, 'localhost:7070', { remember: true });
    await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
    await addBridge(other, 'localhost:7075', { token: 'wrong', remember: true });
    await expect(hosts(other).getByText('token refused')).toBeVisible();
    await expect(hosts(other).getByRole('heading', { name: 'localhost:7070' })).toBeVisible();
    await expect(hosts(page).getByRole('heading', { name: 'localhost:7075' })).toBeVisible();
    await hosts(other).getByLabel('Address of the bridge').fill('localhost:7070');
    await hosts(other).getByLabel('Token', { exact: true }).fill('wrong');
    await hosts(other).getByLabel('Remember in this browser').check();
    await other.keyboard.press('Enter');
    await expect(hosts(page).getByText('token refused')).toBeVisible();
    await hosts(other).getByRole('button', { name: 'Remove localhost:7070' }).click();
    await expect(hosts(page).getByRole('heading', { name: 'localhost:7070' })).toBeHidden();
    await other.reload();
    await other.getByRole('button', { name: 'in this tab' }).click();
    await expect(hosts(other).getByRole('heading')).toHaveText(['Hosts', 'localhost:7075']);
    await other.close();
  });

  test('B2-34 a link with a token asks first, and leaves the address at once', async ({ page }) => {
    await open(page, '#bridge=http%3A%2F%2Flocalhost%3A7070&token=cpc_secret');
    await expect(hosts(page)).toContainText('Connect only if it is yours');
    expect(page.url()).not.toContain('cpc_secret');
    expect(await page.evaluate(() => sessionStorage.getItem('coppice.bridges'))).toBe(null);
    await hosts(page).getByRole('button', { name: 'Connect' }).click();
    await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
  });

  test('O-11 offers the images of a host that the tab has not, and says what goes along', async ({
    page,
  }) => {
    await open(page);
    await addBridge(page, 'localhost:7070');
    await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
    await expect(hosts(page).getByRole('combobox')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await addBridge(page, 'localhost:7074');
    const choice = hosts(page).getByLabel('Image on localhost:7074');
    await expect(choice.getByRole('option')).toHaveText([
      'debian-python, as here',
      'debian-amd64, for 64-bit programs',
    ]);
    await choice.focus();
    await page.keyboard.press('ArrowDown');
    await expect(hosts(page).getByText('with the files of /home/user')).toBeVisible();
    expect(await page.evaluate(auditPage, 24)).toEqual([]);
    await page.keyboard.press('ArrowUp');
    await expect(hosts(page).getByText('with the files of /home/user')).toBeHidden();
  });

  test('O-11 where a host has not the image, only files are offered to go there', async ({ page }) => {
    await open(page);
    await addBridge(page, 'localhost:7075');
    const choice = hosts(page).getByLabel('Image on localhost:7075');
    await expect(choice).toHaveValue('debian-amd64');
    await expect(
      choice.getByRole('option', { name: 'debian-python, as here: not on this host' }),
    ).toBeDisabled();
    await expect(hosts(page).getByText('with the files of /home/user')).toBeVisible();
    await page.keyboard.press('Escape');
    // It is the only host, and asks all the same.
    await page.getByRole('button', { name: 'Run on host' }).click();
    await expect(hosts(page)).toBeVisible();
  });

  test('lists the sandboxes of a host, to open and to delete with an undo', async ({ page }) => {
    await runOn(page, 'localhost:7070');
    // Only then it has its name, as its button does.
    await expect(page.getByRole('heading', { name: 'hello · on localhost:7070' })).toBeVisible();
    await page
      .getByRole('button', { name: /^Close pane hello$/ })
      .last()
      .click();
    await page.getByRole('button', { name: 'in this tab' }).click();
    await hosts(page).getByRole('button', { name: 'Open hello' }).click();
    await expect(page.getByRole('heading', { name: 'hello · on localhost:7070' })).toBeVisible();
    await page.getByRole('button', { name: 'on localhost:7070' }).click();
    await hosts(page).getByRole('button', { name: 'Delete hello on localhost:7070' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.locator('coppice-pane')).toHaveCount(1);
  });
});

test.describe('B-9 moving', () => {
  test('to a host opens it beside, and back again goes on in the tab, with an undo', async ({ page }) => {
    await runOn(page, 'localhost:7070');
    await expect(page.getByRole('heading', { name: 'hello · on localhost:7070' })).toBeVisible();
    await expect(page.getByRole('treeitem')).toHaveCount(2);
    await page.locator('coppice-pane').last().locator('coppice-terminal').click();
    await page.keyboard.type('echo there > /home/user/there\n');
    await expect(page.getByRole('treeitem', { name: /^echo there/ })).toBeVisible();
    await page.getByRole('button', { name: 'Bring back' }).click();
    await expect(page.getByText('Brought back from localhost:7070. What was here is kept')).toBeVisible();
    await expect(page.getByRole('button', { name: 'in this tab' })).toBeVisible();
    await expect(page.getByRole('treeitem', { name: /^echo there/ })).toBeVisible();
    await expect(page.getByRole('treeitem', { name: /^from localhost:7070.*current/ })).toBeVisible();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(page.getByRole('treeitem', { name: /^to localhost:7070.*current/ })).toBeVisible();
    await page.getByRole('button', { name: 'Run on host' }).click();
    await expect(page.getByText('Moved to localhost:7070. What was there is kept')).toBeVisible();
    await expect(page.locator('coppice-pane')).toHaveCount(2);
  });

  test('shows the bytes that moved, and can be given up', async ({ page }) => {
    await runOn(page, 'localhost:7071');
    await expect(page.getByText('Moving it to localhost:7071')).toBeVisible();
    await expect(page.getByRole('progressbar', { name: 'Moving it to localhost:7071' })).toHaveAttribute(
      'aria-valuetext',
      /^244 KiB/,
    );
    expect(await page.evaluate(auditPage, 24)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('Moving it to')).toBeHidden();
    await expect(page.locator('coppice-pane')).toHaveCount(1);
  });

  for (const [port, said] of [
    ['7072', 'does not have the image that this sandbox was made from'],
    ['7073', 'There is no room on localhost:7073'],
  ] as const) {
    test(`that fails says what to do, and nothing has moved: ${said}`, async ({ page }) => {
      await runOn(page, `localhost:${port}`);
      await expect(page.getByRole('alert')).toContainText(
        `Nothing has moved, and nothing was lost. ${port === '7072' ? 'localhost:7072 ' : ''}${said}`,
      );
      await expect(page.locator('coppice-pane')).toHaveCount(1);
      expect(await page.evaluate(auditPage, 24)).toEqual([]);
      await page.getByRole('button', { name: 'Try again' }).click();
      await expect(page.getByRole('alert')).toContainText(said);
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await expect(page.getByRole('alert')).toBeHidden();
    });
  }
});

for (const [width, colorScheme] of [
  [320, 'light'],
  [1280, 'dark'],
] as const) {
  test(`WCAG basics of the list of hosts at ${width} px, ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width, height: 720 });
    await page.emulateMedia({ colorScheme });
    await open(page, '#bridge=http%3A%2F%2Flocalhost%3A7070&token=x');
    await hosts(page).getByRole('button', { name: 'Connect' }).click();
    await expect(hosts(page).getByText('connected', { exact: true })).toBeVisible();
    expect(await page.evaluate(auditPage, 24)).toEqual([]);
  });
}
