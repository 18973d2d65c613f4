import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { type StaticServer, serveFolder } from '../../scripts/static-server.ts';
import { serveBare } from '../e2e/tab/bare-server.ts';

// The pages of examples/embeds, each installed and built as its reader would, beside a site of shells without an image.

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};
let folder: string;
let site: StaticServer;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-embeds-'));
  const { version } = JSON.parse(await readFile(inRepository('package.json'), 'utf8')) as { version: string };
  const outDir = join(folder, 'site');
  await build({ configFile: inRepository('vite.config.ts'), logLevel: 'error', build: { outDir } });
  const modules = { outDir: join(outDir, 'embed', version) };
  await build({ configFile: inRepository('vite.embed.config.ts'), logLevel: 'error', build: modules });
  site = await serveFolder(outDir, { port: 0 });
  browser = await launch({
    browser: 'chrome',
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}, 600_000);

afterAll(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Copies an example beside this repository's package, installs and builds it; resolves to the folder of its pages. */
async function buildExample(name: string): Promise<string> {
  const to = inRepository(`examples/embeds/.built-${name}`);
  await rm(to, { recursive: true, force: true });
  await cp(inRepository(`examples/embeds/${name}`), to, {
    recursive: true,
    filter: (path) => !/\/(?:node_modules|dist|\.docusaurus|cache)$/.test(path),
  });
  const run = (...args: string[]) =>
    promisify(execFile)('npm', args, {
      cwd: to,
      env: { ...process.env, COPPICE_SITE: site.url },
      maxBuffer: 64 * 1024 * 1024,
    });
  try {
    await run('install', '--no-audit', '--no-fund', '--no-package-lock');
    await run('run', 'build');
    const pages = join(folder, name);
    await cp(join(to, 'dist'), pages, { recursive: true });
    return pages;
  } finally {
    await rm(to, { recursive: true, force: true });
  }
}

/** Presses *Run* in the first sandbox of a page and resolves to what its terminal shows once that has `text`. */
async function runFirst(page: Page, text: string): Promise<void> {
  await page.waitForSelector('coppice-sandbox >>> button.main');
  await page.locator('coppice-sandbox >>> button.main').click();
  const frame = await (await page.waitForSelector('coppice-sandbox >>> iframe'))?.contentFrame();
  await frame?.waitForFunction(
    (text) =>
      document
        .querySelector('coppice-embed-terminal')
        ?.shadowRoot?.querySelector('.xterm-rows')
        ?.textContent?.includes(text),
    { timeout: 120_000 },
    text,
  );
}

test.each([
  ['plain', '', 'hello from a plain page', true],
  ['vitepress', '', 'hello from {{ VitePress }}', true],
  ['docusaurus', '', 'hello from {Docusaurus} <b>', true],
  ['reveal', '#/1', 'hello from a slide', false],
] as const)('P-6 the example %s is built and runs in Chromium', async (name, place, text, hasReplay) => {
  const pages = await buildExample(name);
  await using server = await serveBare(async (_host, path) => {
    const file = path.replace(/\/$/, '/index.html');
    const type = types[extname(file)] ?? 'application/octet-stream';
    return { type, bytes: await readFile(join(pages, file)) };
  });
  const page = await browser.newPage();
  await page.goto(`${server.url.replace('localhost', '127.0.0.1')}${place}`);
  await runFirst(page, text);
  if (hasReplay)
    await page.waitForFunction(() =>
      document
        .querySelector('coppice-replay')
        ?.shadowRoot?.querySelector('.screen')
        ?.textContent?.includes('ok 12 passed'),
    );
  // What has no word in its meta is as it was.
  const code = await page.$$eval('pre code', (blocks) =>
    blocks.map(({ textContent }) => textContent?.trim()),
  );
  if (name === 'vitepress' || name === 'docusaurus') expect(code).toEqual(['ls']);
  await page.close();
});
