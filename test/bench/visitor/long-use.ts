import type { Page } from '@playwright/test';
import type { Workspace } from '../../../web/elements/model/workspace.ts';
import type { Benchmark, Figure } from '../figure.ts';
import type { FigureKey } from '../goals.ts';
import type { Chromium } from '../lab/chromium.ts';
import type { Lab } from '../lab/lab.ts';
import { rendererMemory } from '../lab/renderer-memory.ts';
import { openSite, reloadSite } from '../lab/site-page.ts';
import { median, round } from '../median.ts';

const keyPresses = 21;

/** What much use leaves in a page, and the key of the time that a key then takes to be shown. */
const uses: readonly { readonly key: FigureKey; readonly use: (page: Page) => Promise<void> }[] = [
  { key: 'long_commands_ms', use: (page) => typeCommands(page, 300) },
  { key: 'long_snapshots_ms', use: (page) => takeSnapshots(page, 1_000) },
  {
    key: 'long_files_ms',
    use: (page) =>
      runInGuest(
        page,
        'for d in $(seq 20); do mkdir d$d; for f in $(seq 1000); do echo $f > d$d/$f; done; done',
      ),
  },
  { key: 'long_large_file_ms', use: (page) => runInGuest(page, 'head -c 200M /dev/urandom > large') },
];

/**
 * `long_…_ms`: how long a key takes to be shown after long use, each in a browser of its own. The details have the renderer's
 * memory and the origin's storage, the same before it, and the reload after it.
 */
export const longUse: readonly Benchmark<Lab>[] = uses.map(({ key, use }) => ({
  keys: [key],
  measure: async (lab) => ({ [key]: await measureUse(lab, use) }),
}));

async function measureUse(lab: Lab, use: (page: Page) => Promise<void>): Promise<Figure> {
  await using site = await lab.serveSite();
  await using chromium = await lab.openChromium();
  const { page } = chromium;
  await openSite(page, site.url);
  const before = await look(chromium);
  const startMs = performance.now();
  await use(page);
  const useS = round((performance.now() - startMs) / 1_000);
  const after = await look(chromium);
  const reloadMs = round(await reloadSite(page));
  const reloaded = await look(chromium);
  return { value: after.keyMs, details: { before, after, reloaded, reloadMs, useS, runs: 1 } };
}

async function look(chromium: Chromium): Promise<{ keyMs: number; rendererMib: number; storedMib: number }> {
  const keys = await chromium.page.evaluate(timeKeys, keyPresses);
  const [rendererMib = 0] = await rendererMemory(chromium);
  const { usage = 0 } = await chromium.page.evaluate(() => navigator.storage.estimate());
  return { keyMs: round(median(keys)), rendererMib: round(rendererMib), storedMib: round(usage / 2 ** 20) };
}

/** Each by the keyboard, as soon as the history has the one before. */
async function typeCommands(page: Page, count: number): Promise<void> {
  await page.locator('coppice-terminal:not([hidden])').first().click();
  for (let n = 0; n < count; n++) {
    await page.keyboard.insertText(`echo ${n} > c`);
    await page.keyboard.press('Enter');
    await page.evaluate(untilSnapshot, `echo ${n} > c`);
  }
}

async function runInGuest(page: Page, command: string): Promise<void> {
  await page.locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.insertText(`${command}; touch done`);
  await page.keyboard.press('Enter');
  await page.evaluate(untilSnapshot, `${command}; touch done`);
  await page.evaluate(untilNamed, '/home/user/done');
}

function takeSnapshots(page: Page, count: number): Promise<void> {
  return page.evaluate(async (count) => {
    const pane = document.querySelector<Element & { workspace: Workspace }>('coppice-app')?.workspace.active;
    for (let n = 0; n < count; n++) await pane?.snapshot(`snapshot ${n}`);
  }, count);
}

/** In the page: resolves when the newest snapshot is of that command. */
function untilSnapshot(command: string): Promise<void> {
  const pane = document.querySelector<Element & { workspace: Workspace }>('coppice-app')?.workspace.active;
  return new Promise((resolve) => {
    const look = (): void => {
      const cause = pane?.state.history?.snapshots.at(-1)?.cause;
      if (cause?.type !== 'capture' || !cause.commands.includes(command)) return;
      pane?.removeEventListener('change', look);
      resolve();
    };
    pane?.addEventListener('change', look);
    look();
  });
}

/** In the page: resolves when the files of the newest snapshot have that one. */
async function untilNamed(path: string): Promise<void> {
  const pane = document.querySelector<Element & { workspace: Workspace }>('coppice-app')?.workspace.active;
  for (;;) {
    const id = pane?.state.history?.head;
    const found = await pane?.connection?.files.stat({ path, at: id ?? 'now' }).catch(() => undefined);
    if (found) return;
    await new Promise<void>((resolve) => pane?.addEventListener('change', () => resolve(), { once: true }));
  }
}

/** In the page: milliseconds from each key to the mutation of the screen that shows it; then the line is empty again. */
async function timeKeys(count: number): Promise<number[]> {
  const find = (root: ParentNode, selector: string): HTMLElement | undefined => {
    const own = root.querySelector<HTMLElement>(selector);
    if (own) return own;
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      const inside = shadowRoot && find(shadowRoot, selector);
      if (inside) return inside;
    }
    return undefined;
  };
  const screen = find(document, '.xterm-rows');
  const input = find(document, '.xterm textarea');
  if (!screen || !input) throw new Error('The page shows no terminal');
  const typed = (): number => screen.textContent.split('¤').length;
  const press = (data: string): boolean =>
    input.dispatchEvent(new InputEvent('input', { data, inputType: 'insertText', composed: true }));
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(screen, { childList: true, characterData: true, subtree: true });
    });
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const before = typed();
    const shown = until(() => typed() > before);
    const startMs = performance.now();
    press('¤');
    await shown;
    times.push(performance.now() - startMs);
  }
  const gone = until(() => typed() === 1);
  press('\x15');
  await gone;
  return times;
}
