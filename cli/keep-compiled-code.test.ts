import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compiledCodeFolder } from './keep-compiled-code.ts';

const lack = process.geteuid?.() === 0 ? undefined : 'needs root, to be another user’s';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('O-11 H-9 compiled code is kept where its user alone can put any', () => {
  const home = makeFolder();
  const cache = join(home, 'cache');
  mkdirSync(cache, { mode: 0o755 });
  const kept = join(cache, 'compiled');
  expect(compiledCodeFolder(cache, home)).toBe(kept);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  chmodSync(kept, 0o770);
  expect(compiledCodeFolder(cache, home)).toBeUndefined();
  chmodSync(kept, 0o700);
  // Who can write the folder above can put another in its place.
  chmodSync(cache, 0o777);
  expect(compiledCodeFolder(cache, home)).toBeUndefined();
  chmodSync(cache, 0o755);
  rmSync(kept, { recursive: true });
  symlinkSync(makeFolder(), kept);
  expect(compiledCodeFolder(cache, home)).toBeUndefined();
});

test.skipIf(lack)(
  `O-11 H-9 root keeps none in the cache or the home of another user${lack ? ` (not here: ${lack})` : ''}`,
  () => {
    const [home, cache] = [makeFolder(), makeFolder()];
    expect(compiledCodeFolder(cache, home)).toBe(join(cache, 'compiled'));
    chownSync(home, 1000, 1000);
    expect(compiledCodeFolder(cache, home)).toBeUndefined();
    chownSync(home, 0, 0);
    chownSync(join(cache, 'compiled'), 1000, 1000);
    expect(compiledCodeFolder(cache, home)).toBeUndefined();
  },
);
