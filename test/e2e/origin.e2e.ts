import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type Browser, type Frame, launch, type Page } from 'puppeteer-core';
import { inRepository } from '../../host/repository.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import { runsLong } from '../runs-long.ts';
import { serveBare } from './tab/bare-server.ts';
import { serveSite } from './tab/drive-page.ts';
import {
  answerPreviews,
  askHistory,
  askHost,
  frame,
  importSdk,
  whatWasHeard,
  whereItRan,
} from './tab/origin-attacks.ts';

// What a page of another origin tries on the site's, both below one domain, in which browsers share storage and cookies
// (THREAT_MODEL.md, "Pages of the site"). The attacker's name is one of previews, below the site's own: what a sandbox serves.

const siteName = 'machines.shop.localhost';
const previewName = `1234abcd-3000.${siteName}`;
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};
/** What was at the site's origin by the name of the worker of previews, and stays in the browsers that have it. */
const formerWorker =
  "addEventListener('fetch', (event) => event.respondWith(new Response('taken', { status: 503 })))";

/** Puppeteer drives both. */
const browsers: Readonly<Record<string, () => Promise<Browser>>> = {
  Chromium: () =>
    launch({
      browser: 'chrome',
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    }),
  Firefox: () =>
    launch({
      browser: 'firefox',
      protocol: 'webDriverBiDi',
      executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    }),
};

/** The site and its previews by a server that sends no headers; `files` are there instead of the built ones. */
function serveCareless(files: Map<string, string>): Promise<StaticServer> {
  return serveBare(async (name, path) => {
    const [folder, file] = [name === previewName ? 'preview' : 'site', path.replace(/\/$/, '/index.html')];
    const type = types[extname(file)] ?? 'application/octet-stream';
    const bytes = files.get(path) ?? (await readFile(join(inRepository(), 'dist', folder, file)));
    return { type, bytes };
  });
}

const at = (name: string, { url }: StaticServer): string => url.replace('localhost', name);

/** The frame of `page` that was made last of those that show something below `url`. */
function frameOf(page: Page, url: string): Frame | undefined {
  return page.frames().findLast((one) => one.url().startsWith(url));
}

function textOf(page: Page | Frame): Promise<string | null> {
  return page.evaluate(() => document.body.textContent).catch(() => '');
}

const workersOf = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistrations()).map(
      ({ active, waiting, installing }) => (active ?? waiting ?? installing)?.scriptURL,
    ),
  );

const chosen = Object.entries(browsers).filter(([name]) => runsLong || name === 'Chromium');

for (const [name, open] of chosen)
  test.describe(name, () => {
    let opened: Browser;
    test.beforeAll(async () => {
      opened = await open();
    });
    test.afterAll(() => opened?.close());

    test(`S-6 C-7 in ${name} no page of another origin has its script, its worker or its buttons at the site’s origin`, async () => {
      await using stack = new AsyncDisposableStack();
      const files = new Map<string, string>();
      const careless = stack.use(await serveCareless(files));
      const [site, previews] = [at(siteName, careless), at(previewName, careless)];
      files.set('/coppice-preview.json', JSON.stringify({ hosts: [new URL(site).origin] }));
      const attacker = stack.use(
        await serveBare(async () => ({ type: 'text/html', bytes: '<!doctype html><title>other</title>' })),
      );
      const browser = stack.use(await opened.createBrowserContext());

      const user = await browser.newPage();
      await user.goto(`${site}webcontainer-history.js`);
      const sandbox = await user.evaluate(async (module) => {
        const { Sandbox }: typeof import('../../web/app/coppice.ts') = await import(module);
        const made = await Sandbox.create({ runtime: 'shell', name: 'of the user' });
        await made.close();
        return made.id;
      }, `${site}coppice.js`);

      const page = await browser.newPage();
      await page.goto(at(previewName, attacker));
      await page.evaluate(answerPreviews);
      const claim = new URLSearchParams({ host: new URL(page.url()).origin, key: '1', path: '/x' });
      // The site has no page that believes an address.
      const { status } = await fetch(`${careless.url}coppice-preview/`);
      await page.evaluate(frame, `${site}coppice-preview/#${claim}`);
      if (status !== 404) await expect.poll(() => page.evaluate(whereItRan)).not.toEqual([]);
      expect(await page.evaluate(whereItRan)).toEqual([]);
      expect(await workersOf(user)).toEqual([]);
      // One of previews believes those that its server names.
      await page.evaluate(frame, `${previews}coppice-preview/#${claim}`);
      const shown = () => textOf(frameOf(page, `${previews}coppice-preview/`) ?? page);
      await expect.poll(shown).toContain(`No page of ${new URL(site).origin}`);
      expect(await page.evaluate(whereItRan)).toEqual([]);
      // Where the same folder is the site, nothing of previews runs.
      const refused = await user.evaluate(async () => {
        const made = await navigator.serviceWorker
          .register('/coppice-preview-sw.js', { type: 'module' })
          .catch(() => undefined);
        return made?.installing?.state;
      });
      expect(refused).toBeUndefined();

      // Buttons.
      await page.evaluate(frame, site);
      await expect.poll(() => textOf(frameOf(page, site) ?? page)).toContain('a tab of its own');
      // The page of WebContainer applications gives each embedding origin its own sandboxes.
      const headless = `${site}headless/?client_id=${encodeURIComponent(`runtime=shell&sandbox=${sandbox}`)}`;
      const answers = await page.evaluate(askHost, { headless, victim: new URL(site).host });
      expect(answers).toEqual([
        expect.stringContaining('this page is embedded by'),
        expect.stringContaining(`none of ${new URL(page.url()).origin} has this id`),
      ]);
      const app = await browser.newPage();
      await app.goto(at('app.shop.localhost', attacker));
      await app.evaluate(frame, headless);
      await app.evaluate(frame, page.url());
      const beside = frameOf(app, page.url());
      await beside?.evaluate(askHistory);
      await app.evaluate(askHistory);
      // It was asked later.
      await expect.poll(() => app.evaluate(whatWasHeard)).toEqual(['answered']);
      expect(await beside?.evaluate(whatWasHeard)).toEqual([]);
      expect(await page.evaluate(importSdk, `${site}coppice.js`)).toBe('not loaded');
    });

    test(`C-7 in ${name} a plain localhost shows a preview at a name of its own, to the page that embeds its host`, async () => {
      await using stack = new AsyncDisposableStack();
      const site = stack.use(await serveSite());
      const pages = stack.use(
        await serveBare(async () => ({ type: 'text/html', bytes: '<!doctype html><title>app</title>' })),
      );
      const browser = stack.use(await opened.createBrowserContext());
      const preview = at('1234abcd-3000.localhost', site);
      /** What the preview shows whose host says that a page of `embedder` has it in a frame. */
      const show = async (embedder: string) => {
        const app = await browser.newPage();
        await app.goto(pages.url);
        await app.evaluate(frame, `${site.url}headless/`);
        await frameOf(app, site.url)?.evaluate(answerPreviews, embedder);
        await app.evaluate(frame, `${preview}coppice-preview/#key=1`);
        const shown = async () => (await textOf(frameOf(app, preview) ?? app))?.trim();
        await expect.poll(shown).toMatch(/^(shown|Only)/);
        return shown();
      };
      expect(await show(new URL(pages.url).origin)).toMatch(/^shown/);
      // A page that has the address from elsewhere.
      expect(await show('http://other.example')).toBe(
        'Only a page of http://other.example shows this preview',
      );
    });

    test(`S-6 P-7 in ${name} the page takes its origin back from another worker, with all sandboxes`, async () => {
      await using stack = new AsyncDisposableStack();
      const files = new Map([
        ['/coppice-preview-worker.js', formerWorker],
        ['/stranger.js', "addEventListener('fetch', () => {})"],
      ]);
      const site = stack.use(await serveCareless(files));
      const browser = stack.use(await opened.createBrowserContext());
      const page = await browser.newPage();
      await page.goto(`${site.url}stranger.js`);
      const made = await page.evaluate(async (module) => {
        const { Sandbox }: typeof import('../../web/app/coppice.ts') = await import(module);
        const sandbox = await Sandbox.create({ runtime: 'shell', name: 'kept' });
        await sandbox.run('echo kept > note');
        await sandbox.close();
        return sandbox.id;
      }, `${site.url}coppice.js`);

      const take = (script: string) =>
        page.evaluate(async (script) => {
          const { installing, waiting, active } = await navigator.serviceWorker.register(script);
          const worker = installing ?? waiting ?? active;
          worker?.postMessage('activate');
          if (worker?.state === 'activated') return;
          await new Promise<void>((resolve) =>
            worker?.addEventListener('statechange', () => worker.state === 'activated' && resolve()),
          );
        }, script);
      const own = `${site.url}service-worker.js`;

      await take('/coppice-preview-worker.js');
      await page.goto(site.url).catch(() => undefined);
      expect(await textOf(page)).toBe('taken');
      files.delete('/coppice-preview-worker.js');
      // The browser looks for a newer worker, which brings the page.
      await page.goto(`${site.url}?start=shell`).catch(() => undefined);
      await expect.poll(() => textOf(page)).not.toBe('taken');
      await expect.poll(() => workersOf(page)).toEqual([own]);

      await page.evaluate(async () => {
        for (const registration of await navigator.serviceWorker.getRegistrations())
          await registration.unregister();
      });
      await page.goto(`${site.url}stranger.js`);
      await take('/stranger.js');
      await page.goto(`${site.url}?start=shell`);
      await expect.poll(() => workersOf(page).catch(() => [])).toEqual([own]);

      await page.close();
      const other = await browser.newPage();
      await other.goto(`${site.url}webcontainer-history.js`);
      const kept = await other.evaluate(
        async ({ module, id }) => {
          const { Sandbox }: typeof import('../../web/app/coppice.ts') = await import(module);
          const sandbox = await Sandbox.open(id);
          return (await sandbox.run('cat note')).stdout;
        },
        { module: `${site.url}coppice.js`, id: made },
      );
      expect(kept).toBe('kept\n');
    });
  });
