import { expect, test } from 'vitest';
import { exchangeHttp } from './http-exchange.ts';
import { insertScripts, pageScripts } from './page-scripts.ts';
import { PreviewAddresses } from './preview-addresses.ts';
import type { PreviewRequest } from './preview-messages.ts';

const get: PreviewRequest = { type: 'request', method: 'GET', path: '/', headers: [], body: undefined };

/** A connection to a server that says `answer`, in pieces of so many bytes. */
function serverThatSays(answer: string, pieceBytes = 7) {
  const pieces = answer.match(new RegExp(`[^]{1,${pieceBytes}}`, 'g')) ?? [];
  const said = { request: '', isClosed: false };
  return {
    said,
    read: async () => {
      const piece = pieces.shift();
      return piece === undefined ? undefined : new TextEncoder().encode(piece);
    },
    write: async (data: string | Uint8Array) => {
      said.request += typeof data === 'string' ? data : new TextDecoder().decode(data);
    },
    close: async () => {
      said.isClosed = true;
    },
  };
}

async function exchange(answer: string, request: Partial<PreviewRequest> = {}) {
  const connection = serverThatSays(answer);
  const { head, body } = await exchangeHttp(connection, { request: { ...get, ...request }, port: 3000 });
  let text = '';
  for await (const bytes of body) text += new TextDecoder().decode(bytes);
  return { head, text, ...connection.said };
}

test('C-7 a body ends by its length, by its chunks, or with the connection, which is closed', async () => {
  const length = await exchange('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello and more');
  expect(length).toMatchObject({
    text: 'hello',
    isClosed: true,
    head: { status: 200, headers: [['x-a', 'b']] },
  });
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n';
  expect((await exchange(chunked)).text).toBe('hello');
  expect((await exchange('HTTP/1.0 404 Not Found\r\n\r\nuntil the end')).text).toBe('until the end');
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n';
  expect(await exchange(interim)).toMatchObject({ text: '', head: { status: 204 } });
});

test('C-7 H-9 what a page asks cannot become another request, and what a server garbles is an error that closes', async () => {
  const { request } = await exchange('HTTP/1.1 200 OK\r\n\r\n', {
    method: 'POST',
    path: '/a?b',
    headers: [
      ['Host', 'evil'],
      ['Content-Length', '999'],
      ['X-Good', 'yes'],
    ],
    body: new TextEncoder().encode('body'),
  });
  expect(request).toBe(
    'POST /a?b HTTP/1.1\r\nHost: localhost:3000\r\nConnection: close\r\nAccept-Encoding: identity\r\nX-Good: yes\r\nContent-Length: 4\r\n\r\nbody',
  );
  for (const bad of [
    { path: '/ HTTP/1.1\r\nX: y' },
    { method: 'GET /' },
    { headers: [['X', 'a\r\nb'] as const] },
  ])
    await expect(exchange('', bad)).rejects.toMatchObject({ code: 'invalid-argument' });
  const answers = [
    '',
    'SSH-2.0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`,
  ];
  for (const answer of answers)
    await expect(exchange(answer)).rejects.toMatchObject({ code: 'protocol-violation' });
});

test('C-7 a redirect to the server’s own name stays in the preview, one to another port is refused', async () => {
  const redirect = async (to: string) => {
    const { head } = await exchange(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`);
    return head.headers.find(([name]) => name === 'location')?.[1];
  };
  expect(await redirect('http://localhost:3000/in?a#b')).toBe('/in?a#b');
  expect(await redirect('https://127.0.0.1:3000')).toBe('/');
  expect(await redirect('//LOCALHOST:3000/x')).toBe('/x');
  expect(await redirect('http://[::1]:3000//evil.example/')).toBe('/.//evil.example/');
  expect(await redirect('next')).toBe('next');
  expect(await redirect('https://example.com/a')).toBe('https://example.com/a');
  await expect(redirect('http://localhost:5173/')).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('port 5173'),
  });
});

test('C-7 H-9 answers that are announced without end are an error', async () => {
  const answer = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000);
  await expect(exchange(answer)).rejects.toMatchObject({ code: 'protocol-violation' });
});

test('C-7 scripts are put into the head of a page, and nothing else of it changes', () => {
  const insert = (page: string): string =>
    new TextDecoder().decode(insertScripts(new TextEncoder().encode(page), '<script></script>'));
  expect(insert('<!DOCTYPE html><html><head lang="x"><title>ü</title>')).toBe(
    '<!DOCTYPE html><html><head lang="x"><script></script><title>ü</title>',
  );
  expect(insert('<!doctype html><header>')).toBe('<!doctype html><script></script><header>');
  const script = { source: '/a"b.js', type: 'module', isDeferred: true, isAsync: false } as const;
  expect(pageScripts(false, script)).toBe('<script src="/a&quot;b.js" type="module" defer></script>');
  expect(pageScripts(false, undefined)).toBe('');
});

test('C-7 S-6 each port has an origin of its own, never the host’s, and a page elsewhere does not know its key', () => {
  const site = { origin: 'https://wc.example', hostname: 'wc.example', protocol: 'https:', port: '' };
  const previews = new PreviewAddresses(site, 'https://*.preview.example/ignored');
  const { origin, key, url } = previews.of(3000);
  expect(origin).toMatch(/^https:\/\/[0-9a-f]{8}-3000\.preview\.example$/);
  expect(url).toBe(`${origin}/coppice-preview/#key=${key}`);
  expect(previews.of(3000).key).toBe(key);
  expect([
    previews.find(key, origin ?? ''),
    previews.find(key, 'https://evil.example'),
    previews.find('', origin ?? ''),
  ]).toEqual([3000, undefined, undefined]);
  for (const pattern of [undefined, 'https://wc.example']) {
    const none = new PreviewAddresses(site, pattern).of(80);
    expect([none.origin, decodeURIComponent(none.url)]).toEqual([
      undefined,
      expect.stringContaining('no origin for previews'),
    ]);
  }
});
