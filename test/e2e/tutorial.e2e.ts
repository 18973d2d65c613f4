import { expect, type Page, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { prompt, row, runLine, screen, serveSite, shows, type } from './tab/drive-page.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

/** What the reader is told, sentence by sentence, and what the page does then. */
type Steps = readonly (readonly [sentence: string, does: (page: Page) => Promise<void>])[];

const terminals = (page: Page) => page.locator('coppice-terminal:not([hidden])');

const steps: Steps = [
  ['Open the URL it prints.', async (page) => void (await page.goto(site.url))],
  [
    'The terminal frame is there at once; a bar shows the image as it arrives; then there is a prompt. (Over a slow connection, a small shell comes first; left alone, it gives its place to the machine.)',
    async (page) => {
      await expect(page.getByText('image debian')).toBeVisible();
      await prompt(page);
    },
  ],
  [
    'Watch the history on the left: a row for each command that changed something, the newest on top, with what it changed.',
    async (page) => {
      await shows(page, /7\s*user@coppice/);
      await expect(page.getByRole('treeitem').nth(1)).toHaveAccessibleName(/^tcc .* 1 created/);
      await expect(page.getByRole('treeitem').nth(2)).toHaveAccessibleName(/^echo 'int main/);
    },
  ],
  ['Nothing had to be saved.', (page) => expect(row(page, /^now, no files changed/)).toBeVisible()],
  [
    '`ls` is gone, and so is almost everything else.',
    async (page) => {
      await shows(page, /ls: (No such file|command not found)/);
      await expect(page.getByRole('treeitem').nth(1)).toHaveAccessibleName(/^sudo rm -rf \/usr\/bin/);
      await expect(page.getByRole('treeitem', { name: /rm -rf/ })).toHaveCount(1);
    },
  ],
  [
    'Click the row below the accident (or walk there with the arrow keys) and press Enter.',
    async (page) => {
      await row(page, /^sudo rm/).click();
      await page.keyboard.press('ArrowDown');
      await expect(row(page, /^tcc/)).toBeFocused();
      await page.keyboard.press('Enter');
      // Its clock stands still while the pointer is on it.
      await page.getByText(/^Went to .* with everything that ran/).hover();
    },
  ],
  [
    'Files, memory and programs are as they were.',
    async (page) => {
      await expect(screen(page)).not.toContainText('sudo rm');
      // The focus is in the terminal: an `f` would fork.
      await page.keyboard.type('find main\n');
      await shows(page, /find main\s*main\s*user@/);
      await expect(page.locator('coppice-pane')).toHaveCount(1);
    },
  ],
  [
    'What you left is kept too, and the notice offers the way back: *Undo*.',
    (page) => expect(page.getByRole('button', { name: 'Undo', exact: true })).toBeVisible(),
  ],
  [
    'When the notice has gone, the history still offers it.',
    async (page) => {
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('button', { name: 'Undo going back' }).click();
      // With all that ran: the shell that had lost its programs is there again.
      await expect(page.getByText(/Went to .* with everything that ran/)).toBeVisible();
      await shows(page, /ls: (No such file|command not found)/);
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await shows(page, /find main\s*main\s*user@[^$]*\$\s*$/);
    },
  ],
  [
    'Click or drag over the timeline at the bottom: the terminal shows what it showed then, and nothing changes.',
    async (page) => {
      const box = await page.getByRole('slider', { name: 'Timeline' }).boundingBox();
      if (box === null) throw new Error('There is no timeline');
      const preview = terminals(page).locator('.preview');
      const notice = page.getByText(/^Went (back )?to/);
      const told = await notice.count();
      const y = box.y + 14;
      await page.mouse.move(box.x + box.width - 4, y);
      await page.mouse.down();
      // Every state of the past has a screen, also those before the going back, whose shell is no more.
      for (let share = 0.85; share > 0.3; share -= 0.05) {
        await page.mouse.move(box.x + box.width * share, y);
        await expect(preview).toHaveAttribute('data-checkpoint', /\d/);
        await expect(preview).toContainText(/user@coppice/);
      }
      await page.mouse.up();
      expect(await notice.count()).toBeLessThanOrEqual(told);
    },
  ],
  [
    '*Go back* and *Fork here* act on what is shown, Escape shows what runs now.',
    async (page) => {
      const actions = page.getByRole('toolbar', { name: 'The state that is shown' });
      await expect(actions.getByRole('button', { name: 'Go back' })).toBeEnabled();
      await expect(actions.getByRole('button', { name: 'Fork here' })).toBeEnabled();
      await page.getByRole('slider', { name: 'Timeline' }).press('Escape');
      await expect(terminals(page).locator('.preview')).toBeHidden();
    },
  ],
  [
    'Beside *Go back* you choose between *with programs* and *files only*, for which programs start anew; of an older state, only files may be kept.',
    async (page) => {
      await row(page, /^tcc/).click();
      const choice = page.getByRole('combobox', { name: 'What goes back' });
      await expect(choice.getByRole('option')).toHaveText(['with programs', 'files only']);
    },
  ],
  [
    'Select a row and press F.',
    async (page) => {
      await row(page, /^tcc/).click();
      await page.keyboard.press('f');
    },
  ],
  [
    'A second machine opens beside the first, from the same files, with a history of its own.',
    async (page) => {
      await prompt(page, 1);
      await type(page, 'ls project', 1);
      await expect(screen(page, 1)).toContainText('main.c');
      await expect(page.getByRole('treeitem', { name: /^git init/ })).toHaveCount(0);
    },
  ],
];

/** The prose of the tutorial until it leaves the tab, as sentences; blocks are where their text was. */
function readProse(): { readonly text: string; readonly blocks: readonly (readonly string[])[] } {
  const tutorial = readDocument('docs/tutorial.md');
  const text = tutorial.text.slice(tutorial.text.indexOf('## Start'), tutorial.text.indexOf('## Leave'));
  const blocks = codeBlocks({ ...tutorial, text }).map(({ code }) => code.trim().split('\n'));
  return { text: text.replace(/^```\w*\n.*?^```$/gms, '\n§\n').replace(/^## .*$/gm, ''), blocks };
}

test('the tutorial, word for word', async ({ page }) => {
  const { text, blocks } = readProse();
  let rest = text.replace(/\s+/g, ' ').trim();
  // The first block starts the server, which runs.
  const [, ...typed] = blocks;
  rest = rest.slice(rest.indexOf('§') + 1).trim();
  for (const [sentence, does] of steps) {
    if (rest.startsWith('§')) {
      for (const line of typed.shift() ?? []) {
        await runLine(page, line);
        // As a reader types: each command is captured before the next.
        if (line !== 'ls')
          await expect(page.getByRole('treeitem', { name: line.slice(0, 20) }).first()).toBeVisible();
      }
      rest = rest.slice(1).trim();
    }
    expect(rest.slice(0, sentence.length), 'docs/tutorial.md says what this test does').toBe(sentence);
    rest = rest.slice(sentence.length).trim();
    await does(page);
  }
  // What follows is about two panes, which has a test of its own.
  expect(rest).toMatch(/^Change something in each/);
});
