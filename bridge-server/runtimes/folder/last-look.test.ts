import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { directoryMark, forgetLastLook, noLook, readLastLook, writeLastLook } from './last-look.ts';

test('R-12 a look is found again as it was noted, and one that is damaged or from a time to come counts as none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-look-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'looked');
  mkdirSync(join(folder, 'below'));
  const directories = new Set([directoryMark('', folder), directoryMark('below', join(folder, 'below'))]);
  expect(readLastLook(path)).toEqual(noLook);
  writeLastLook(path, { beganMs: 5, directories });
  expect(readLastLook(path)).toEqual({ beganMs: 5, directories });
  writeLastLook(path, { beganMs: Date.now() + 3_600_000, directories });
  expect(readLastLook(path)).toEqual(noLook);
  writeFileSync(path, 'damaged\n');
  expect(readLastLook(path)).toEqual(noLook);
  forgetLastLook(path);
  forgetLastLook(path);
  expect(readLastLook(path)).toEqual(noLook);
});
