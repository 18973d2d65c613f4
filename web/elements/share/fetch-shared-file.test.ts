import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { askSharedSize, fetchSharedFile, parseSharedUrl } from './fetch-shared-file.ts';

const site = 'https://example.org/lab/';

test.each([
  ['https://files.example.org/a', 'https://files.example.org/a'],
  ['http://localhost:8000/a', 'http://localhost:8000/a'],
  ['a.coppice', 'https://example.org/lab/a.coppice'],
])('X-7 a file is taken from %s', (text, href) => {
  expect(parseSharedUrl(text, site).href).toBe(href);
});

test.each([
  'http://files.example.org/a',
  'javascript:alert(1)',
  'data:text/plain,x',
  'blob:https://example.org/1',
  'https://user:secret@files.example.org/a',
  'https://',
  `https://files.example.org/${'a'.repeat(limits.sharedUrlCharacters)}`,
])('H-9 no file is taken from %s', (text) => {
  expect(() => parseSharedUrl(text, site)).toThrow(/^Cannot open the snapshot: /);
});

async function serve(answer: RequestListener): Promise<AsyncDisposable & { readonly url: URL }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a.coppice`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('X-7 the size is known before anything is downloaded, and what comes is told as it comes', async () => {
  const asked: (string | undefined)[] = [];
  await using server = await serve(({ method, headers }, response) => {
    asked.push(method, headers.cookie, headers.referer);
    response.setHeader('Content-Length', 6).end('export');
  });
  const { signal } = new AbortController();
  expect(await askSharedSize(server.url, { signal })).toBe(6);
  const told: number[][] = [];
  const onProgress = (...bytes: number[]) => void told.push(bytes);
  const pieces: Uint8Array[] = [];
  for await (const piece of fetchSharedFile(server.url, { signal, onProgress })) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe('export');
  expect(told.at(-1)).toEqual([6, 6]);
  expect(asked).toEqual(['HEAD', undefined, undefined, 'GET', undefined, undefined]);
});

test('X-7 a file that is too large, not there, or ends early is refused by name', async () => {
  const { signal } = new AbortController();
  await using large = await serve((_request, response) =>
    response.setHeader('Content-Length', limits.sharedFileBytes + 1).end(),
  );
  await expect(askSharedSize(large.url, { signal })).rejects.toMatchObject({ code: 'limit-exceeded' });
  await using missing = await serve((_request, response) => response.writeHead(404).end());
  await expect(askSharedSize(missing.url, { signal })).rejects.toMatchObject({
    code: 'asset-unavailable',
    message: /answers 404/,
  });
  await using broken = await serve((_request, response) => {
    response.setHeader('Content-Length', 100).write('a');
    setImmediate(() => response.destroy());
  });
  const read = async () => {
    for await (const _piece of fetchSharedFile(broken.url, { signal, onProgress: () => undefined }));
  };
  await expect(read()).rejects.toMatchObject({
    code: 'asset-unavailable',
    message: /stopped in the middle|is not there/,
  });
});
