import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import {
  embedPolicy,
  framedPagePolicy,
  ownMachineNames,
  pagePolicy,
} from '../protocol/content-security-policy.ts';

export interface StaticServer extends AsyncDisposable {
  readonly url: string;
}

export interface StaticServerOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** The folder for names of previews (`1234abcd-3000.localhost`), which the site has no file of. */
  readonly previews?: string | undefined;
  /** Origins whose pages may have `/headless` and previews in a frame, beside those of this machine. */
  readonly embedders?: readonly string[] | undefined;
  /** What images that are not there are waiting for, if they are being made: the page asks again. */
  readonly making?: () => string | undefined;
}

/** Files named by their digest never change. */
const immutable = /(^|\/)(images\/[0-9a-f]{64}\.gz|assets\/[^/]+-[\w-]{8,}\.\w+)$/;

/** Names an image's assets. */
const manifest = /^\/images\/[^/]+\.json$/;

/** The page that is for frames of other origins. */
const framed = /^\/headless(\/|$)/;

/** The page that is for frames of anybody, and what pages of anybody load for it. */
const embed = /^\/embed(\/|$)/;
const embedModule = /^\/embed\/\d[^/]*\//;

/** The name of a preview, as `PreviewAddresses` makes them, and that of its host. */
const previewName = /^[0-9a-f]{8}-\d{1,5}\.(?<host>.+)$/;

const ownMachine = ownMachineNames.map((name) => `http://${name}:*`);

/** Serves a folder of static files on loopback: the site, and at origins of their own its previews. */
export async function serveFolder(folder: string, options: StaticServerOptions): Promise<StaticServer> {
  const { previews, embedders = [], making = () => undefined } = options;
  const framedPolicy = framedPagePolicy([...ownMachine, ...embedders]);
  const serveFile = serveStatic({ root: folder });
  const servePreview = previews === undefined ? undefined : serveStatic({ root: previews });
  const app = new Hono();
  app.use('*', async (context, next) => {
    await next();
    const lifetime = immutable.test(context.req.path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    context.header('Cache-Control', lifetime);
    context.header('X-Content-Type-Options', 'nosniff');
    const isPreview = hostOfPreview(context.req.header('host')) !== undefined;
    const isFramed = isPreview || framed.test(context.req.path);
    const isEmbed = !isPreview && embed.test(context.req.path);
    const policy = isEmbed ? embedPolicy : isFramed ? framedPolicy : pagePolicy;
    context.header('Content-Security-Policy', policy);
    if (isEmbed) context.header('Cross-Origin-Resource-Policy', 'cross-origin');
    // Modules of other origins are loaded with CORS.
    if (isEmbed && embedModule.test(context.req.path)) context.header('Access-Control-Allow-Origin', '*');
    if (isPreview) context.header('Permissions-Policy', 'clipboard-read=(), clipboard-write=()');
  });
  app.use('*', (context, next) => {
    const host = hostOfPreview(context.req.header('host'));
    if (host === undefined) return serveFile(context, next);
    if (context.req.path === '/coppice-preview.json')
      return Promise.resolve(context.json({ hosts: originsOf(host) }));
    return servePreview?.(context, next) ?? next();
  });
  app.get('*', (context) => {
    const isImage =
      manifest.test(context.req.path) && hostOfPreview(context.req.header('host')) === undefined;
    const step = isImage ? making() : undefined;
    if (step === undefined) return context.notFound();
    return context.text(step, 503, { 'Retry-After': '1' });
  });
  const listening = Promise.withResolvers<number>();
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: options.port }, ({ port }) =>
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

function hostOfPreview(name = ''): string | undefined {
  return previewName.exec(name)?.groups?.host;
}

/** The origin of the site whose previews are below `host`: the visitor's own machine has two names. */
function originsOf(host: string): string[] {
  const [name, port = ''] = host.split(':');
  return (name === 'localhost' ? ownMachineNames : [name]).map(
    (one) => new URL(`http://${one}:${port}`).origin,
  );
}
