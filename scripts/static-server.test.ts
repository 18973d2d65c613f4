import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveFolder } from './static-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-site-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('S-6 no other site shows the page in a frame of its own', async () => {
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await using server = await serveFolder(folder, { port: 0 });
  for (const path of ['', 'index.html', 'absent']) {
    const answer = await fetch(server.url + path);
    const policy = answer.headers.get('content-security-policy')?.split('; ');
    expect(policy).toContain("frame-ancestors 'self'");
  }
});

test('P-6 any page may frame the page of embeds and load its modules, and nothing else of the site', async () => {
  await using server = await serveFolder(folder, { port: 0 });
  const ask = async (path: string) => (await fetch(server.url + path)).headers;
  const framed = await ask('embed/');
  expect(framed.get('content-security-policy')).toContain("connect-src 'self';");
  expect(framed.get('content-security-policy')).not.toContain('frame-ancestors');
  expect(framed.get('access-control-allow-origin')).toBeNull();
  expect((await ask('embed/0.1.0/coppice-embed.js')).get('access-control-allow-origin')).toBe('*');
  for (const path of ['coppice.js', 'embedded/', 'assets/x.js'])
    expect((await ask(path)).get('access-control-allow-origin')).toBeNull();
});

test('S-6 C-7 a preview’s name has the files of previews and its own site as host, and the site has none of them', async () => {
  const previews = join(folder, 'previews');
  await mkdir(previews);
  await writeFile(join(previews, 'worker.js'), '');
  await using server = await serveFolder(folder, { port: 0, previews, embedders: ['https://app.example'] });
  const { port } = new URL(server.url);
  const ask = (name: string, path: string) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>(
      (resolve, reject) => {
        // Not every system finds names below `localhost`, as browsers do.
        const headers = { host: `${name}:${port}` };
        get({ host: '127.0.0.1', port, path, headers }, async (answer) => {
          let text = '';
          for await (const piece of answer) text += piece;
          resolve({ status: answer.statusCode, headers: answer.headers, text });
        }).on('error', reject);
      },
    );
  const policy = expect.stringMatching(
    /frame-ancestors 'self' http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\* https:\/\/app\.example$/,
  );
  for (const [name, hosts] of [
    ['localhost', [`http://localhost:${port}`, `http://127.0.0.1:${port}`]],
    ['machines.shop.localhost', [`http://machines.shop.localhost:${port}`]],
  ] as const) {
    const list = await ask(`1234abcd-3000.${name}`, '/coppice-preview.json');
    expect(JSON.parse(list.text)).toEqual({ hosts });
    expect(list.headers).toMatchObject({
      'content-security-policy': policy,
      'permissions-policy': 'clipboard-read=(), clipboard-write=()',
    });
    expect((await ask(`1234abcd-3000.${name}`, '/worker.js')).status).toBe(200);
    for (const path of ['/worker.js', '/coppice-preview.json', '/coppice-preview/'])
      expect((await ask(name, path)).status).toBe(404);
    expect((await ask(name, '/headless/')).headers['content-security-policy']).toEqual(policy);
  }
});

test('ends though the reader of a download stands still', async () => {
  await writeFile(join(folder, 'large'), new Uint8Array(32 * 2 ** 20));
  const server = await serveFolder(folder, { port: 0 });
  const answer = await fetch(`${server.url}large`);
  await server[Symbol.asyncDispose]();
  await expect(answer.arrayBuffer()).rejects.toThrow();
});

test('S-1 an image that is being made is answered by what is done, and when to ask again; anything else that is not there is not found', async () => {
  let step: string | undefined = 'Unpack packages';
  await using server = await serveFolder(folder, { port: 0, making: () => step });
  const answer = await fetch(`${server.url}images/default.json`);
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([503, '1', step]);
  expect((await fetch(`${server.url}absent.json`)).status).toBe(404);
  await mkdir(join(folder, 'images'));
  await writeFile(join(folder, 'images', 'other.json'), '{}');
  expect((await fetch(`${server.url}images/other.json`)).status).toBe(200);
  step = undefined;
  expect((await fetch(`${server.url}images/default.json`)).status).toBe(404);
});
