// Writes dist/index.html: the page with the address of a Coppice site in it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const site = process.env.COPPICE_SITE ?? 'http://localhost:8086/';
const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');
const folder = new URL('dist/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(
  new URL('index.html', folder),
  page.replaceAll('%site%', site).replaceAll('%origin%', new URL(site).origin),
);
writeFileSync(new URL('session.cast', folder), readFileSync(new URL('session.cast', import.meta.url)));
