import { expect, test } from 'vitest';
import { pageFile, routeRequest } from './offline-routes.ts';

const scope = 'https://site.example/coppice/';
const route = (url: string, method = 'GET', mode: RequestMode = 'no-cors'): string | undefined =>
  routeRequest({ method, mode, url }, scope);

test('P-7 what is named by its digest is an asset, the manifest is asked for first, the rest is the shell', () => {
  expect(route(`${scope}images/${'0a'.repeat(32)}.gz`)).toBe('asset');
  expect(route(`${scope}images/debian.json`)).toBe('manifest');
  expect([route(scope), route(`${scope}assets/index-abc.js`), route(`${scope}?x#s=1`)]).toEqual([
    'shell',
    'shell',
    'shell',
  ]);
});

test('other origins, other folders and other methods are the network’s', () => {
  expect([
    route('https://other.example/coppice/'),
    route('https://site.example/'),
    route(scope, 'POST'),
  ]).toEqual([undefined, undefined, undefined]);
});

test('a page of someone else’s below this one is theirs', () => {
  const visit = (path: string): string | undefined => route(`${scope}${path}`, 'GET', 'navigate');
  expect([visit(''), visit('?x#s=1'), visit('index.html'), visit('docs/page.html')]).toEqual([
    'shell',
    'shell',
    'shell',
    undefined,
  ]);
});

test('C-7 the page that WebContainer boots against opens offline too', () => {
  const visit = (path: string): string | undefined => route(`${scope}${path}`, 'GET', 'navigate');
  expect([visit('headless?version=1.6.4'), visit('headless/'), visit('headless/other')]).toEqual([
    'shell',
    'shell',
    undefined,
  ]);
  expect([pageFile('headless'), pageFile('')]).toEqual(['./headless/index.html', './']);
});

test('P-2 the player opens offline too, whatever recording it is to show', () => {
  expect([
    route(`${scope}replay/?recording=https://a.example/b.cast#t=3`, 'GET', 'navigate'),
    pageFile('replay'),
    pageFile('replay/other'),
  ]).toEqual(['shell', './replay/index.html', undefined]);
});

test('P-9 the page of demos opens offline too', () => {
  expect([route(`${scope}demos/`, 'GET', 'navigate'), pageFile('demos/index.html')]).toEqual([
    'shell',
    './demos/index.html',
  ]);
});
