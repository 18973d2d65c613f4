import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { framedPagePolicy, pagePolicy } from '../protocol/content-security-policy.ts';

export interface StaticServer extends AsyncDisposable {
  readonly url: string;
}

/** Files named by their digest never change. */
const immutable = /(^|\/)(images\/[0-9a-f]{64}\.gz|assets\/[^/]+-[\w-]{8,}\.\w+)$/;

/** Pages that are for frames of other sites. */
const framed = /^\/(headless|coppice-preview)(\/|$)/;

/** Names an image's assets. */
const manifest = /^\/images\/[^/]+\.json$/;

export interface StaticServerOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** What images that are not there are waiting for, if they are being made: the page asks again. */
  readonly making?: () => string | undefined;
}

/** Serves a folder of static files on loopback. */
export async function serveFolder(
  folder: string,
  { port: wantedPort, making = () => undefined }: StaticServerOptions,
): Promise<StaticServer> {
  const app = new Hono();
  app.use('*', async (context, next) => {
    await next();
    const lifetime = immutable.test(context.req.path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    context.header('Cache-Control', lifetime);
    const isFramed = framed.test(context.req.path);
    context.header('Content-Security-Policy', isFramed ? framedPagePolicy : pagePolicy);
    context.header('X-Content-Type-Options', 'nosniff');
  });
  app.use('*', serveStatic({ root: folder }));
  app.get('*', (context) => {
    const step = manifest.test(context.req.path) ? making() : undefined;
    if (step === undefined) return context.notFound();
    return context.text(step, 503, { 'Retry-After': '1' });
  });
  const listening = Promise.withResolvers<number>();
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: wantedPort }, ({ port }) =>
    listening.resolve(port),
  );
  server.on('error', listening.reject);
  const port = await listening.promise;
  return {
    url: `http://localhost:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A download whose reader stands still would never end.
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
