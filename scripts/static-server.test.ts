import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveFolder } from './static-server.ts';

test('S-6 no other site shows the page in a frame of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-site-'));
  try {
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    await using server = await serveFolder(folder, { port: 0 });
    for (const path of ['', 'index.html', 'absent']) {
      const answer = await fetch(server.url + path);
      const policy = answer.headers.get('content-security-policy')?.split('; ');
      expect(policy).toContain("frame-ancestors 'self'");
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
