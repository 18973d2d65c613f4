import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { type MachineStored, machineStored } from '../../../sandbox/checkpoints/running-image.ts';
import { type StaticServer, serveFolder } from '../../../scripts/static-server.ts';

const built = join(import.meta.dirname, '../../../dist');

/** The built site with the real machine, on a port of its own, and its previews. */
export function serveSite({
  folder = join(built, 'site'),
  embedders,
}: {
  folder?: string;
  embedders?: readonly string[];
} = {}): Promise<StaticServer> {
  return serveFolder(folder, { port: 0, previews: join(built, 'preview'), embedders });
}

/** A row of the history by its accessible name. */
export function row(page: Page, name: RegExp): Locator {
  return page.getByRole('treeitem', { name }).first();
}

/** What the visible terminal of a pane shows; the first pane's by default. */
export function screen(page: Page, pane = 0): Locator {
  return page.locator('coppice-pane').nth(pane).locator('coppice-terminal:not([hidden]) .xterm-rows').first();
}

/** Waits for the shell's prompt at the end of the terminal. */
export async function prompt(page: Page, pane = 0): Promise<void> {
  await expect(screen(page, pane)).toContainText(/user@coppice:[^$]*\$\s*$/);
}

/** Enters a line into a terminal. Its text comes at once: keys one by one take as long as most commands. */
export async function type(page: Page, line: string, pane = 0): Promise<void> {
  await page.locator('coppice-pane').nth(pane).locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.insertText(line);
  await page.keyboard.press('Enter');
}

/** Enters a line at the shell's prompt and waits for the next prompt, not for the one that is still there before the line is echoed. */
export async function runLine(page: Page, line: string): Promise<void> {
  await type(page, line);
  const echoed = line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '\\s');
  await shows(page, new RegExp(`\\$\\s${echoed}[^]*user@coppice:[^$]*\\$\\s*$`));
}

/** Starts a program in a terminal that holds what it is told: a small shell, as Python takes seconds beside what runs. */
export async function startHolder(page: Page): Promise<void> {
  await type(page, "PS1='>>> ' dash");
  await shows(page, />>>\s*$/);
}

/**
 * Waits for the prompt of a shell that goes on after a reload, where what was typed last may stand by half, and clears
 * that. No ^C: bash 5.2 loses a character that comes soon after one, or shows no prompt where it runs a trap meanwhile.
 */
export async function promptAgain(page: Page, pane = 0): Promise<void> {
  await expect(screen(page, pane)).toContainText(/\S/);
  await page.locator('coppice-pane').nth(pane).locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.press('Control+u');
  await prompt(page, pane);
}

export async function shows(page: Page, text: string | RegExp, pane = 0): Promise<void> {
  await expect(screen(page, pane)).toContainText(text);
}

/**
 * A loop of a shell that counts in the file `count` while the test does something else. It starts one program in each
 * round and pauses: an emulated processor that is kept busy makes everything else slow.
 */
export const countingLoop = 'n=0; while sleep 0.2; do n=$((n+1)); echo $n > ~/count; done';

/** Waits, in a shell, until that loop has written again. */
export const untilCounted =
  'read then < ~/count; now=$then; until [ "$now" != "$then" ]; do sleep 0.1; read now < ~/count; done';

/** Waits, by the shell that the terminal has, until the loop in the background has counted on. */
export async function waitForCount(page: Page, pane = 0): Promise<void> {
  await type(page, `${untilCounted}; echo counts o""n`, pane);
  await shows(page, 'counts on', pane);
}

/** Waits until as many of the page's machines are stored as they are now, or were later, for a reload to go on from. */
export async function untilStored(page: Page, machines = 1): Promise<void> {
  const nowMs = Date.now();
  const countStored = async () => {
    const asked = page.workers().map((worker) => worker.evaluate(lastStored, machineStored));
    const answers = await Promise.allSettled(asked); // A worker may end meanwhile.
    const stored = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
    return stored.filter((one) => one && (one.isCurrent || one.sinceMs >= nowMs)).length;
  };
  await expect.poll(countStored).toBeGreaterThanOrEqual(machines);
}

/** In a worker. */
function lastStored(mark: string): MachineStored | undefined {
  return (performance.getEntriesByName(mark).at(-1) as PerformanceMark | undefined)?.detail;
}
