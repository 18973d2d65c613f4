import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { createServer, type ViteDevServer } from 'vite';
import { runsLong } from '../runs-long.ts';
import type { Stop } from './page/feed-terminal.ts';

let server: ViteDevServer;

test.beforeAll(async () => {
  server = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('../..', import.meta.url)),
    logLevel: 'error',
    appType: 'custom',
    cacheDir: 'node_modules/.vite-terminal',
    server: { port: 0, host: '127.0.0.1' },
    optimizeDeps: {
      include: [
        '@xterm/xterm',
        '@xterm/addon-fit',
        '@xterm/addon-web-links',
        '@xterm/addon-unicode-graphemes',
      ],
      noDiscovery: true,
    },
    plugins: [
      {
        name: 'terminal',
        configureServer: ({ middlewares }) => {
          middlewares.use('/empty', (_request, response) => {
            response.setHeader('content-type', 'text/html').end('<!doctype html><title>terminal</title>');
          });
        },
      },
    ],
  });
  await server.listen();
});

test.afterAll(() => server.close());

const sample = ['repeats', 'combining'];
const all = [...sample, 'links', 'colours', 'sequences', 'strings', 'floods'];

for (const kind of runsLong ? all : sample)
  test(`H-9 the page answers and its terminal goes on after ${kind} that a sandbox sends`, async ({
    page,
  }) => {
    await page.goto(`${server.resolvedUrls?.local[0] ?? ''}empty`);
    const { shown, stops } = await page.evaluate(async (name) => {
      const address = '/test/e2e/page/feed-terminal.ts';
      const { feedTerminal } = (await import(address)) as typeof import('./page/feed-terminal.ts');
      return feedTerminal(name);
    }, kind);
    expect(shown).toBe('it goes on');
    const longest = stops.slice(0, 5).map(({ ms, text }: Stop) => `${Math.round(ms)} ms: ${text}`);
    test.info().annotations.push({ type: 'longest stops of the thread', description: longest.join('\n') });
  });
