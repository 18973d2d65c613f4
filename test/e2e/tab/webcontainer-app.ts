import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Page } from '@playwright/test';
import { Hono } from 'hono';
import type { StaticServer } from '../../../scripts/static-server.ts';

const packageFolder = join(import.meta.dirname, '../../../node_modules/@webcontainer/api');

/** A page of another origin that has the package as npm has it, and no header: what boots WebContainer in the wild. */
export async function serveWebContainerApp(): Promise<StaticServer> {
  const app = new Hono();
  app.get('/', (context) => context.html('<!doctype html><title>app</title><body></body>'));
  app.use('/dist/*', serveStatic({ root: packageFolder }));
  const listening = Promise.withResolvers<number>();
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    listening.resolve(port),
  );
  const url = `http://localhost:${await listening.promise}/`;
  return {
    url,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** Opens the application's page with `host` as what it boots against: the one line that an application changes. */
export async function openApp(
  page: Page,
  { app, host, settings }: { app: string; host: string; settings: string },
): Promise<void> {
  await page.goto(app);
  await page.evaluate(
    async ({ host, settings }) => {
      const scope = globalThis as unknown as Record<string, unknown>;
      scope.WEBCONTAINER_API_IFRAME_URL = host;
      // The address of the package, which is not there when the test is compiled.
      const address = './dist/index.js';
      const module: typeof import('@webcontainer/api') = await import(address);
      if (settings !== '') module.configureAPIKey(settings);
      scope.WebContainer = module.WebContainer;
    },
    { host, settings },
  );
}
