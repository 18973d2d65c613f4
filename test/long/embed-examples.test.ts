import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { buildShellSite } from '../../scripts/build-shell-site.ts';
import { type StaticServer, serveFolder } from '../../scripts/static-server.ts';
import { launchChromium, runFirst, servePages, untilPicture } from './pages-with-embeds.ts';

// The pages of examples/embeds, each installed and built as its reader would, beside a site of shells without an image.

let folder: string;
let site: StaticServer;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-embeds-'));
  await buildShellSite(join(folder, 'site'));
  site = await serveFolder(join(folder, 'site'), { port: 0 });
  browser = await launchChromium();
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

test.each([
  ['plain', '', 'hello from a plain page', true],
  ['vitepress', '', 'hello from {{ VitePress }}', true],
  ['docusaurus', '', 'hello from {Docusaurus} <b>', true],
  ['reveal', '#/1', 'hello from a slide', false],
] as const)('P-6 the example %s is built and runs in Chromium', async (name, place, text, hasReplay) => {
  const pages = await buildExample(name);
  await using server = await servePages(pages);
  const page = await browser.newPage();
  await page.goto(`${server.url.replace('localhost', '127.0.0.1')}${place}`);
  await runFirst(page, text);
  if (hasReplay) await untilPicture(page, 'ok 12 passed');
  // What has no word in its meta is as it was.
  const code = await page.$$eval('pre code', (blocks) =>
    blocks.map(({ textContent }) => textContent?.trim()),
  );
  if (name === 'vitepress' || name === 'docusaurus') expect(code).toEqual(['ls']);
  await page.close();
});
