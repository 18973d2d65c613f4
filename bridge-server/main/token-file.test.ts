import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRegistry } from '../stores/registry.ts';
import { provideTokenFile } from './token-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a token file is made once, for its owner, and opens everything at every later start', async () => {
  const path = join(folder, 'token');
  {
    using registry = openRegistry(folder);
    expect(await provideTokenFile(path, registry.tokens)).toBe(true);
  }
  using registry = openRegistry(folder);
  expect(await provideTokenFile(path, registry.tokens)).toBe(false);
  expect(registry.tokens.check(readFileSync(path, 'utf8').trim())).toMatchObject({ scope: 'all' });
  expect(registry.tokens.list()).toHaveLength(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that holds something else is refused and stays', async () => {
  using registry = openRegistry(folder);
  const path = join(folder, 'token');
  writeFileSync(path, 'precious');
  await expect(provideTokenFile(path, registry.tokens)).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(readFileSync(path, 'utf8')).toBe('precious');
});

test('a token that cannot be written down opens nothing', async () => {
  using registry = openRegistry(folder);
  await expect(provideTokenFile(join(folder, 'absent/token'), registry.tokens)).rejects.toThrow('ENOENT');
  expect(registry.tokens.list()).toEqual([]);
});
