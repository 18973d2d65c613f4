import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
