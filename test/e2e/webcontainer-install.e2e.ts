import { expect, test } from '@playwright/test';
import type { WebContainer as WebContainerClass } from '@webcontainer/api';
import type { StaticServer } from '../../scripts/static-server.ts';
import { packInstalled } from '../fixtures/package-registry.ts';
import { serveRegistry } from '../fixtures/serve-registry.ts';
import { serveSite } from './tab/drive-page.ts';
import { openApp, serveWebContainerApp } from './tab/webcontainer-app.ts';

// In the application's page.
declare const WebContainer: typeof WebContainerClass;

let site: StaticServer;
let app: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
  app = await serveWebContainerApp();
});
test.afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

/** In the application's page: boots, installs Express, and answers what there is then. */
async function installInPage(args: readonly string[]) {
  const container = await WebContainer.boot({ coep: 'none' });
  try {
    const manifest = JSON.stringify({ dependencies: { express: '*' }, scripts: { hello: 'echo hello' } });
    await container.mount({ 'package.json': { file: { contents: manifest } } });
    const run = async (...argv: readonly string[]) => {
      const process = await container.spawn('npm', [...argv]);
      let printed = '';
      const write = (text: string) => {
        printed += text;
      };
      const shown = process.output.pipeTo(new WritableStream({ write }));
      const exitCode = await process.exit;
      await shown;
      return { exitCode, printed };
    };
    const installed = await run(...args);
    return {
      installed,
      names: await container.fs.readdir('.'),
      packages: (await container.fs.readdir('node_modules').catch(() => [])).length,
      hello: await run('run', 'hello'),
      unknown: await run('publish'),
    };
  } finally {
    container.teardown();
  }
}

test('C-7 P-7 npm install puts packages of a registry into a sandbox without npm, the second time offline', async ({
  page,
}) => {
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(await serveRegistry(packInstalled(['express'])));
  const settings = String(new URLSearchParams({ runtime: 'shell', registry: registry.url }));
  await openApp(page, { app: app.url, host: site.url, settings });
  const first = await page.evaluate(installInPage, ['install']);
  expect(first.installed.printed).toMatch(/\r\nadded \d+ packages in \d+m?s\r\n$/);
  expect(first.installed.exitCode).toBe(0);
  expect(first.names).toEqual(['node_modules', 'package-lock.json', 'package.json']);
  expect(first.packages).toBeGreaterThan(40);
  expect(first.hello.printed.replaceAll('\r', '')).toBe('\n> hello\n> echo hello\n\nhello\n');
  expect(first.unknown.exitCode).toBe(1);
  expect(first.unknown.printed).toContain('npm publish');

  await stack.disposeAsync();
  const offline = await page.evaluate(installInPage, ['install']);
  expect(offline.installed.printed).toMatch(/added \d+ packages/);
  expect(offline.packages).toBe(first.packages);
});

test('C-7 npm install says where packages come from is not set, and what an install lacks', async ({
  page,
}) => {
  await openApp(page, { app: app.url, host: site.url, settings: 'runtime=shell' });
  const { installed, names } = await page.evaluate(installInPage, ['install']);
  expect(installed.exitCode).toBe(1);
  expect(installed.printed).toMatch(/npm error code ENOREGISTRY.*registry=https/s);
  expect(names).toEqual(['package.json']);
});
