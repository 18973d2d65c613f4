import { expect, test } from 'vitest';
import { describeChanges } from './update-locks.ts';

const one = (name: string, version: string) => ({
  name,
  version,
  architecture: 'i386',
  sha256: Buffer.from(version.padEnd(32)).toString('hex'),
  sizeBytes: 1,
});

test('a new lock is told as what came, changed and went (O-11)', () => {
  const before = { packages: [one('bash', '1'), one('less', '1'), one('nano', '1')] };
  const after = { packages: [one('bash', '2'), one('less', '1'), one('vim-tiny', '9')] };
  expect(describeChanges(before, after)).toEqual(['+ vim-tiny 9', '~ bash 1 → 2', '- nano 1']);
});
