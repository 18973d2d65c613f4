import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Locator, test as ownTest, type Page } from '@playwright/test';
import { inLongRun } from '../runs-long.ts';
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

async function open(page: Page, scenario = ''): Promise<void> {
  await page.goto(`${site.url}?scenario=${scenario}`);
  await expect(page.getByRole('tab', { name: /Terminal 1/ }).first()).toBeVisible();
}

function row(page: Page, name: RegExp): Locator {
  return page.getByRole('treeitem', { name }).first();
}

/** What the terminal shows. */
async function screen(page: Page): Promise<string | null> {
  return page.locator('coppice-terminal:not([hidden]) .xterm-rows').first().textContent();
}

ownTest(
  'B-10 a frame of another site that may not store says so, and how to go on',
  async ({ page, context }) => {
    const frame = `<iframe src="${site.url}?scenario=" style="width: 100%; height: 40rem"></iframe>`;
    const other = createServer((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end(frame),
    );
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
      const note = page.frameLocator('iframe').getByRole('alert');
      await expect(note).toContainText('storage (blocked by a setting, or in a frame of another site)');
      const opened = context.waitForEvent('page');
      await note.getByRole('link', { name: 'Open the page by itself.' }).click();
      await expect((await opened).getByRole('tab', { name: /Terminal 1/ }).first()).toBeVisible();
    } finally {
      other.closeAllConnections();
      other.close();
    }
  },
);

test.describe('the history', () => {
  test('R-4 arrows walk it, Enter goes back, and the way back is one key away', async ({ page }) => {
    await open(page);
    await row(page, /^now/).click();
    await page.keyboard.press('ArrowDown');
    await expect(row(page, /^echo/)).toBeFocused();
    await page.keyboard.press('End');
    await expect(row(page, /^start/)).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(row(page, /^git clone/)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText(/Went back to “git clone/)).toBeVisible();
    await expect(row(page, /^git clone.*current/)).toBeVisible();
    await expect.poll(() => screen(page)).toContain('went back; programs started anew');
    // What is typed now is for the terminal: an `f` would fork.
    await page.keyboard.type('find');
    await expect.poll(() => screen(page)).toMatch(/\$ find\s*$/);
    await expect(page.locator('coppice-pane')).toHaveCount(1);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(row(page, /^echo.*current/)).toBeVisible();
    await page.getByRole('button', { name: 'Undo going back' }).click();
    await expect(row(page, /^git clone.*current/)).toBeVisible();
  });

  test('R-3 a command in the terminal becomes a snapshot that says what it changed', async ({ page }) => {
    await open(page);
    await page.locator('coppice-terminal').click();
    await page.keyboard.type('echo hi > /home/user/hi\n');
    await expect(row(page, /^echo hi > \/home\/user\/hi, 1 created/)).toBeVisible();

    // Captures that were taken while a command ran are folded under it, and opened by a key.
    await page.keyboard.type('steps 5\n');
    await expect(row(page, /^steps 5, 5 created, 4 steps/)).toBeVisible();
    await expect(page.getByRole('treeitem')).toHaveCount(17);
    await row(page, /^steps 5/).click();
    await expect(page.getByText('5 files changed')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('treeitem')).toHaveCount(21);
    await expect(row(page, /^step 4 · step-4, 1 created/)).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByRole('treeitem')).toHaveCount(17);
    await expect(row(page, /^steps 5/)).toBeFocused();

    await page.getByRole('searchbox', { name: 'Search the history' }).fill('step-3');
    await expect(page.getByRole('treeitem')).toHaveCount(2);
    await page.keyboard.press('ArrowDown');
    await expect(row(page, /^steps 5/)).toBeFocused();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('combobox', { name: 'Which snapshots' }).selectOption('tagged');
    await expect(page.getByRole('treeitem', { name: /tag greets/ })).toBeVisible();
    await expect(page.getByRole('treeitem')).toHaveCount(3);
    await page.getByRole('combobox', { name: 'Which snapshots' }).selectOption('all');
  });

  test('F forks into a pane beside with a history of its own; X-7 the two are compared', async ({ page }) => {
    await open(page);
    await row(page, /^make test/).click();
    await page.keyboard.press('f');
    await expect(page.locator('coppice-pane')).toHaveCount(2);
    await expect(page.getByRole('treeitem')).toHaveCount(2);
    for (const pane of await page.locator('coppice-pane').all()) {
      for (const name of ['New terminal', /^Close pane/])
        await expect(pane.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
    }
    await page.locator('coppice-terminal').nth(1).click();
    await page.keyboard.type('echo hi > /home/user/hi\n');
    await page.getByRole('button', { name: 'with hello' }).click();
    await expect(page.getByText('1 file different')).toBeVisible();
    await page.getByRole('button', { name: 'created /home/user/hi' }).click();
    await expect(page.getByRole('table', { name: 'Text diff' }).locator('tr.added .text')).toHaveText('hi');
    await page.locator('coppice-pane').first().click();
    await expect(page.getByRole('treeitem')).toHaveCount(15);
    await page.getByRole('button', { name: 'Close pane hello fork' }).click();
    await expect(page.locator('coppice-pane')).toHaveCount(1);
  });

  test('T tags, M marks and D compares line by line', async ({ page }) => {
    await open(page);
    await row(page, /^git clone/).click();
    await page.keyboard.press('t');
    await page.keyboard.type('base');
    await page.keyboard.press('Enter');
    await expect(row(page, /^git clone.*tag base/)).toBeFocused();
    await page.keyboard.press('m');
    await row(page, /^vim/).click();
    await page.keyboard.press('d');
    await expect(page.getByRole('button', { name: 'from the marked' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await page.getByRole('button', { name: /main\.c/ }).click();
    const diff = page.getByRole('table', { name: 'Text diff' });
    await expect(diff.locator('tr.deleted .text').first()).toHaveText(
      '/* Greets whoever is named, or the world. */',
    );
    await expect(diff.locator('tr.added .text').first()).toHaveText(
      '/* Greets whoever is named, or the coppice. */',
    );
  });

  test('Delete forgets, and can be undone', async ({ page }) => {
    await open(page);
    await row(page, /^cargo init/).click();
    await page.keyboard.press('Delete');
    await expect(row(page, /^cargo init/)).toBeHidden();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row(page, /^cargo init/)).toBeVisible();
    await row(page, /^cargo init/).click();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.locator('coppice-status-bar')).toContainText('13 snapshots');
  });

  test('1,000 snapshots put no more rows into the page than are in sight', async ({ page }) => {
    await open(page, 'long');
    await expect(row(page, /step-999/)).toBeVisible();
    expect(await page.getByRole('treeitem').count()).toBeLessThan(60);
    await row(page, /^now/).click();
    await page.keyboard.press('End');
    await expect(row(page, /^start/)).toBeFocused();
    expect(await page.getByRole('treeitem').count()).toBeLessThan(60);
  });

  test('the timeline selects with keys as every slider does', async ({ page }) => {
    await open(page);
    const timeline = page.getByRole('slider', { name: 'Timeline' });
    await timeline.focus();
    await expect(timeline).toHaveAttribute('aria-valuetext', 'now');
    await page.keyboard.press('ArrowLeft');
    // What a mark is, when it was and how many files it changed, for who does not see how tall it is.
    await expect(timeline).toHaveAttribute(
      'aria-valuetext',
      /^snapshot, echo "TODO.*, .*\d:\d\d.*, \d+ files?: /,
    );
    await page.keyboard.press('Home');
    await expect(row(page, /^start/)).toHaveAttribute('aria-selected', 'true');
  });

  test('B-4 a click or a drag on the timeline shows what the terminal showed, and only Enter or the one button goes there, with programs or files only', async ({
    page,
  }) => {
    await open(page, 'checkpoints');
    const timeline = page.getByRole('slider', { name: 'Timeline' });
    // As wide as the page, with names and times at its marks.
    const box = await timeline.boundingBox();
    if (box === null) throw new Error('There is no timeline');
    expect(box.width).toBeGreaterThan(1_200);
    await expect(timeline).toContainText(/\d:\d\d .*make test/);
    const preview = page.locator('coppice-terminal .preview');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 3, y);
    await page.mouse.down();
    for (const share of [0.9, 0.7, 0.5, 0.3]) {
      await page.mouse.move(box.x + box.width * share, y);
      await expect(preview).toHaveText(/what it showed at checkpoint \d+/);
    }
    await page.mouse.up();
    await expect(preview).toBeVisible();
    await expect(page.getByText(/^Went (back )?to/)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Fork here' })).toBeVisible();
    await page.keyboard.press('Home');
    await expect(preview).toContainText('No screen of this terminal was recorded here');
    await page.keyboard.press('Escape');
    await expect(preview).toBeHidden();

    // The files of a checkpoint, or all of it; the notice says which.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect(timeline).toHaveAttribute('aria-valuetext', /^checkpoint, after echo "TODO/);
    await page.getByRole('combobox', { name: 'What goes back' }).selectOption('files only');
    await page.getByRole('button', { name: 'Go back' }).click();
    const filesOnly =
      /Went back to .* files only, programs started anew. What you left is kept with all that ran/;
    await expect(page.getByText(filesOnly)).toBeVisible();
    await page.keyboard.press('Control+Shift+K');
    await page.keyboard.type('undo going');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/Went to .* with everything that ran/)).toBeVisible();
    // Its Undo would undo another step than it says.
    await expect(page.getByText(filesOnly)).toBeHidden();

    await expect(row(page, /^echo.*current/)).toBeVisible();
    await page.mouse.click(box.x + box.width * 0.3, y);
    await expect(preview).toHaveText(/what it showed at checkpoint \d+/);
    await expect(row(page, /^echo.*current/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Go back' })).toHaveCount(1);
    const choice = page.getByRole('combobox', { name: 'What goes back' });
    for (const which of ['with programs', 'files only', 'with programs']) await choice.selectOption(which);
    // Of the oldest snapshot there are only files, whatever was chosen.
    await timeline.press('Home');
    await expect(choice).toHaveValue('files');
    await page.mouse.click(box.x + box.width * 0.3, y);
    await expect(choice).toHaveValue('all');
    await page.getByRole('button', { name: 'Go back' }).click();
    await expect(page.getByText(/Went to .* with everything that ran/)).toBeVisible();
    await expect(row(page, /^echo.*current/)).toBeHidden();
  });
});

test('R-4 a snapshot is compared with one that is marked in another pane; without one, the page says what to do', async ({
  page,
}) => {
  await open(page);
  const older = row(page, /^git commit/);
  await older.click();
  await page.keyboard.press('d');
  await expect(page.getByText('Nothing to compare with is marked')).toBeVisible();
  await page.keyboard.press('m');
  await expect(older).toHaveAccessibleName(/marked$/);
  await page.keyboard.press('f');
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await page.locator('coppice-terminal').nth(1).click();
  await page.keyboard.type('echo other > there\n');
  await row(page, /^echo other/).click();
  await page.keyboard.press('d');
  await expect(page.getByRole('button', { name: 'with hello', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(page.getByRole('list', { name: 'Changed files' })).toContainText('there');
});

test.describe('the terminal', () => {
  test('has the focus when the page opens, but not in a frame of another page', async ({ page }) => {
    await open(page);
    await expect(page.getByRole('textbox', { name: 'Terminal input' })).toBeFocused();
    await page.locator('body').evaluate((body, address) => {
      body.innerHTML = `<iframe src="${address}"></iframe>`;
    }, page.url());
    const frame = page.frameLocator('iframe');
    await expect(frame.getByRole('tab', { name: /Terminal 1/ })).toBeVisible();
    await expect(frame.getByRole('textbox', { name: 'Terminal input' })).not.toBeFocused();
  });

  test('Escape, then Tab leaves it; Tab alone stays (WCAG 2.1.2)', async ({ page }) => {
    await open(page);
    await page.locator('coppice-terminal').click();
    const inTerminal = (): Promise<boolean> =>
      page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return at?.classList.contains('xterm-helper-textarea') ?? false;
      });
    await expect(page.getByText('Esc, then Tab leaves the terminal')).toBeVisible();
    await page.keyboard.press('Tab');
    expect(await inTerminal()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await inTerminal()).toBe(false);
  });

  test('H-9 twenty bytes that repeat a character without end stop nothing', async ({ page }) => {
    await open(page);
    await page.locator('coppice-terminal').click();
    await page.keyboard.type("printf 'A\\033[2147483647b'\n");
    await expect.poll(() => screen(page)).toContain('AAAAAAAA');
    await page.keyboard.type('echo on > it-goes\n');
    await expect(row(page, /^echo on/)).toBeVisible();
  });

  test('a shell that ends says how, and another starts at a key', async ({ page }) => {
    await open(page);
    await page.locator('coppice-terminal').click();
    await page.keyboard.type('exit 3\n');
    await expect(page.getByText('The shell ended with 3.')).toBeVisible();
    await page.getByRole('button', { name: 'Start another' }).click();
    await expect(page.getByText('The shell ended')).toBeHidden();
    await page.keyboard.type('nope\n');
    await expect.poll(() => screen(page)).toContain('bash: nope: command not found');
  });

  test('more terminals are tabs; H-9 a title they give themselves is text', async ({ page }) => {
    await open(page);
    await page.getByRole('button', { name: 'New terminal' }).click();
    await expect(page.getByRole('tab', { name: 'Terminal 2' })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.type('title <b>x</b>\n');
    await expect(page.getByRole('tab', { name: '2 <b>x</b>' })).toBeVisible();
    await page.getByRole('button', { name: 'Close this terminal' }).click();
    await expect(page.getByRole('tab', { name: /Terminal|<b>/ })).toHaveCount(1);
  });
});

ownTest('a finger has the keys that its keyboard lacks', async ({ browser }) => {
  const context = await browser.newContext({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  });
  const page = await context.newPage();
  await open(page);
  await page.locator('coppice-terminal').tap();
  await page.getByRole('button', { name: 'Ctrl', exact: true }).tap();
  await page.keyboard.insertText('d');
  await expect(page.getByText('The shell ended with 0.')).toBeVisible();
  expect(await page.evaluate(auditPage, 40)).toEqual([]);
  const statusBar = await page.locator('coppice-status-bar').boundingBox();
  expect(statusBar?.height).toBeLessThanOrEqual(40);
  await context.close();
});

test('H-9 what a sandbox says is text, never markup', async ({ page }) => {
  await open(page);
  await page.locator('coppice-terminal').click();
  await page.keyboard.type('echo <img src=x onerror=document.title=1> > /home/user/<i>evil\n');
  await expect(row(page, /^echo <img src=x/)).toBeVisible();
  await expect(page.locator('coppice-history img, coppice-history i')).toHaveCount(0);
  expect(await page.title()).toBe('coppice');
});

test('files are listed, made, edited, renamed, uploaded, deleted and put back', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByRole('button', { name: 'New file' }).click();
  await page.keyboard.type('notes');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: /Text of/ })).toBeFocused();
  await page.keyboard.type('remember\n');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved /home/user/notes.')).toBeVisible();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Rename notes' }).click();
  await page.keyboard.type('memo');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'memo', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Delete memo' }).click();
  await expect(page.getByRole('button', { name: 'memo', exact: true })).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'memo', exact: true })).toBeVisible();
  const file = { name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from('up\n') };
  await page.locator('coppice-files input[type=file]').setInputFiles(file);
  await expect(page.getByRole('button', { name: 'up.txt', exact: true })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download up.txt' }).click();
  expect((await download).suggestedFilename()).toBe('up.txt');
});

test('the palette finds commands by their words, and ? lists the shortcuts', async ({ page }) => {
  await open(page);
  await row(page, /^now/).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('go files');
  await expect(page.getByRole('listbox', { name: 'Commands' }).getByRole('option')).toHaveText([
    'Go to the files',
  ]);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Files' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  // Not a second dialog over this one.
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Commands' })).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('sandboxes are listed, made, renamed and deleted, with an undo', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: /^hello/ }).click();
  await page.getByRole('button', { name: 'New sandbox' }).click();
  await page.getByRole('dialog', { name: 'New sandbox' }).getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('treeitem')).toHaveCount(2);
  await page.getByRole('button', { name: /^sandbox 2/ }).click();
  await page.getByRole('button', { name: 'Rename sandbox 2' }).click();
  await page.keyboard.type('second');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Rename second' })).toBeVisible();
  await page.getByRole('button', { name: 'Delete hello' }).click();
  await expect(page.getByRole('button', { name: 'Delete hello' })).toBeHidden();
  // The dialog stays open: what is behind it cannot be clicked.
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Delete hello' })).toBeVisible();
});

test.describe('what goes wrong is said where it went wrong', () => {
  test('a start shows bytes and seconds', async ({ page }) => {
    await open(page, 'slow');
    await expect(page.getByText('Downloading the image')).toBeVisible();
    await expect(page.getByText('3.1 MiB of 9.4 MiB · 1.2 s')).toBeVisible();
  });

  test('a sandbox that another tab holds is no error: it can be looked at or forked', async ({ page }) => {
    await open(page, 'busy');
    await expect(
      page.getByRole('status').filter({ hasText: '“hello” is open in another tab' }),
    ).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.getByRole('button', { name: 'Look only' }).click();
    await expect(page.getByText('Here you can look at it, and not change it.')).toBeVisible();
    await expect(page.getByText('No shell runs here')).toBeVisible();
    await page.getByRole('button', { name: 'Fork it into this tab' }).click();
    await expect(page.getByRole('button', { name: /^hello fork/ })).toBeVisible();
  });

  test('a machine that failed offers the last snapshots', async ({ page }) => {
    await open(page, 'failed');
    await expect(page.getByRole('alert')).toContainText('Every snapshot is kept.');
    await page.getByRole('button', { name: /^Go back to git commit/ }).click();
    await expect(page.getByRole('alert')).toBeHidden();
    await expect(row(page, /^git commit.*current/)).toBeVisible();
  });

  test('B-10 capture that stopped says what is not saved and how to get space', async ({ page }) => {
    await open(page, 'stopped');
    await expect(page.getByRole('alert')).toContainText('newer changes are not saved');
    await page.getByRole('button', { name: 'Free unused storage' }).click();
    await expect(page.getByText('Freed 1.2 MiB.')).toBeVisible();
  });

  test('B-10 without room for what would be left, going back offers to give it up', async ({ page }) => {
    await open(page, 'stopped');
    await row(page, /^git commit/).click();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Go back without saving' }).click();
    await expect(page.getByText('What was not saved is gone.')).toBeVisible();
    await expect(row(page, /^git commit.*current/)).toBeVisible();
  });

  test('assets that cannot be loaded leave a way to try again', async ({ page }) => {
    await open(page, 'missing');
    await expect(page.getByRole('alert')).toContainText('the network does not answer');
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  });

  test('B-10 of a sandbox whose assets are gone, what is here can be downloaded', async ({ page }) => {
    // The browser's own dialog is no part of the page.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await open(page, 'missing');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download what is here' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.tar$/);
    await expect(page.getByText('missing or damaged: /usr/, /etc/.')).toBeVisible();
  });
});

for (const [width, height] of [
  [320, 640],
  [640, 400],
  [1280, 800],
  [1920, 1080],
] as const) {
  const isSample = width === 320 || width === 1280;
  (isSample ? test : inLongRun(test))(`WCAG basics at ${width} px, light and dark`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const audit = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        // Colours change at once; the terminal takes its own a moment later.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await expect.poll(() => page.evaluate(auditPage, 24), colorScheme).toEqual([]);
      }
    };
    await open(page);
    await audit();
    if (width < 1_120) {
      await page.getByRole('button', { name: 'Changes', exact: true }).click();
      await audit();
      await page.keyboard.press('Escape');
    }
    if (width < 704) await page.getByRole('button', { name: 'History', exact: true }).click();
    await row(page, /^vim/).click();
    await audit();
    // As 1440 px at 200 % zoom.
    if (width === 1280) await page.setViewportSize({ width: 720, height: 450 });
    if (width === 1280) await audit();
  });
}

ownTest('P-7 after one visit the page opens without a network', async ({ page, context }) => {
  await open(page);
  await expect(page.getByText('offline ready')).toBeVisible();
  await context.setOffline(true);
  await page.reload();
  await expect(row(page, /^now/)).toBeVisible();
});
