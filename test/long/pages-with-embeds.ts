import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import type { StaticServer } from '../../scripts/static-server.ts';
import { serveBare } from '../e2e/tab/bare-server.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Serves a folder as any server of files does. */
export function servePages(folder: string): Promise<StaticServer> {
  return serveBare(async (_host, path) => {
    const file = path.replace(/\/$/, '/index.html');
    const type = types[extname(file)] ?? 'application/octet-stream';
    return { type, bytes: await readFile(join(folder, file)) };
  });
}

export function launchChromium(): Promise<Browser> {
  return launch({
    browser: 'chrome',
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/** Presses *Run* in the first sandbox of a page, and resolves when its terminal shows `text`. */
export async function runFirst(page: Page, text: string): Promise<void> {
  await page.waitForSelector('coppice-sandbox >>> button.main');
  await page.locator('coppice-sandbox >>> button.main').click();
  const frame = await (await page.waitForSelector('coppice-sandbox >>> iframe'))?.contentFrame();
  await frame?.waitForFunction(terminalShows, { timeout: 120_000 }, text);
}

/** Whether the terminal of a frame shows `text`; it runs there. */
export function terminalShows(text: string): boolean {
  const rows = document.querySelector('coppice-embed-terminal')?.shadowRoot?.querySelector('.xterm-rows');
  return rows?.textContent?.includes(text) ?? false;
}

/** Resolves when the picture of the first recording of a page shows `text`. */
export async function untilPicture(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (text) =>
      document
        .querySelector('coppice-replay')
        ?.shadowRoot?.querySelector('.screen')
        ?.textContent?.includes(text),
    { timeout: 120_000 },
    text,
  );
}
