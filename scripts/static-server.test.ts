import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
