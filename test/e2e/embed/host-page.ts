import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { inRepository } from '../../../host/repository.ts';
import type { StaticServer } from '../../../scripts/static-server.ts';
import { serveBare } from '../tab/bare-server.ts';

const { version } = JSON.parse(await readFile(inRepository('package.json'), 'utf8')) as { version: string };

/** Where a site has what other pages load. */
export function embedModule(site: StaticServer): string {
  return `${site.url}embed/${version}/coppice-embed.js`;
}

/** As strict as a policy can be whose page has embeds of `site`; it reads recordings of its own. */
function strictPolicy(site: StaticServer): string {
  const { origin } = new URL(site.url);
  return `default-src 'none'; script-src ${origin}; frame-src ${origin}; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`;
}

/** Serves a page with `body` that has the elements of `site`, at another site, and `files` beside it. */
export function serveHost(
  site: StaticServer,
  {
    body,
    files = new Map(),
  }: { readonly body: string; readonly files?: ReadonlyMap<string, string | Uint8Array> },
): Promise<StaticServer> {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>docs</title>
<meta http-equiv="Content-Security-Policy" content="${strictPolicy(site)}">
<script type="module" src="${embedModule(site)}"></script><body>${body}`;
  return serveBare(async (_name, path) => {
    if (path === '/') return { type: 'text/html', bytes: page };
    const bytes = files.get(path);
    return bytes === undefined ? undefined : { type: 'application/octet-stream', bytes };
  });
}

/** The address of a server at a name that is another site than `localhost`. */
export function elsewhere({ url }: StaticServer): string {
  return url.replace('localhost', '127.0.0.1');
}

/** What the terminal of an embed of the page shows. */
export function terminalOf(page: Page, selector: string, pane = 0) {
  return page
    .locator(selector)
    .locator('iframe')
    .contentFrame()
    .locator('coppice-embed-terminal')
    .nth(pane)
    .locator('.xterm-rows');
}
