import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page, test } from '@playwright/test';
import { runsLong } from '../runs-long.ts';
import { serveBuiltPage } from './page/built-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let site: Awaited<ReturnType<typeof serveBuiltPage>>;

test.beforeAll(async () => {
  site = await serveBuiltPage();
});
test.afterAll(() => site[Symbol.asyncDispose]());

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: string[][] }[];
  }[];
}

/** What axe finds, its experimental and best-practice rules too: one line for each rule, with where. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe); // The page's policy refuses a script element.
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    const rules = { 'label-content-name-mismatch': { enabled: true } };
    const { violations } = await axe.run({ resultTypes: ['violations'], rules });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.flat().join(' ')).join(', ')}`,
    );
  });
}

const press = (key: string) => (page: Page) => page.keyboard.press(key);
const palette = (words: string) => async (page: Page) => {
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
};
const dialog = (page: Page) => expect(page.getByRole('dialog')).toBeVisible();
const select = async (page: Page) =>
  page
    .getByRole('treeitem', { name: /^git commit/ })
    .first()
    .click();

/** Each state of the page: its name, the stand-in's scenario, and how to get there. */
const allStates: readonly (readonly [string, string, ...((page: Page) => Promise<void>)[]])[] = [
  ['open', ''],
  ['slow', 'slow'],
  ['busy', 'busy'],
  ['looked at', 'busy', (page) => page.getByRole('button', { name: 'Look only' }).click()],
  ['failed', 'failed'],
  ['stopped', 'stopped'],
  ['missing', 'missing'],
  ['long', 'long'],
  ['a snapshot', '', select],
  ['a tag', '', select, press('t')],
  ['marked', '', select, press('m'), press('ArrowDown'), press('d')],
  ['files', '', (page) => page.getByRole('tab', { name: 'Files' }).click()],
  ['git', '', (page) => page.getByRole('tab', { name: 'Git' }).click()],
  ['timeline', 'checkpoints', (page) => page.getByRole('slider', { name: 'Timeline' }).press('ArrowLeft')],
  ['a fork beside', '', select, press('f')],
  ['a notice', '', select, press('Delete')],
  ['palette', '', (page) => page.getByRole('button', { name: /^Commands/ }).click(), dialog],
  ['shortcuts', '', select, press('?'), dialog],
  ['sandboxes', '', (page) => page.getByRole('button', { name: /^hello/ }).click(), dialog],
  ['new sandbox', '', palette('new sandbox'), dialog],
  [
    'share',
    '',
    select,
    (page) => page.getByRole('button', { name: 'Share', exact: true }).last().click(),
    dialog,
  ],
  ['save session', '', palette('save this session'), dialog],
  ['race', '', palette('race'), dialog],
  ['hosts', '', palette('bridge'), dialog],
];
/** One of each part of the page: a load and a look take some five seconds of processor time. */
const sample = [
  'looked at',
  'failed',
  'a tag',
  'marked',
  'git',
  'timeline',
  'a fork beside',
  'new sandbox',
  'race',
];
const states = allStates.filter(([name]) => runsLong || sample.includes(name));

test(`axe finds nothing in ${states.length} states of the page`, async ({ page }) => {
  for (const [name, scenario, ...steps] of states) {
    await page.goto(`${site.url}?scenario=${scenario}`);
    await expect(page.getByRole('tab', { name: /Terminal 1/ }).first()).toBeVisible();
    await expect(page.locator('coppice-status-bar')).toBeVisible();
    for (const step of steps) await step(page);
    expect.soft(await findings(page), name).toEqual([]);
    // What the page remembers is not to be in the next state.
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  }
});
