import { describe, expect, test } from 'vitest';
import { formatLock, parseLock } from './lock-file.ts';

const bash = {
  name: 'bash',
  version: '5.2.15-2+b13',
  architecture: 'i386',
  sha256: 'a'.repeat(64),
  sizeBytes: 1_525_372,
};
const tzdata = {
  name: 'tzdata',
  version: '2026a-0',
  architecture: 'all',
  sha256: 'b'.repeat(64),
  sizeBytes: 300_000,
};

describe('lock files (O-11)', () => {
  test('what is written is read back', () => {
    expect(parseLock(formatLock({ packages: [bash, tzdata] }))).toEqual({ packages: [bash, tzdata] });
  });

  const locked = (...packages: unknown[]) => JSON.stringify({ format: 1, packages });
  test.each([
    ['no JSON', '{', 'invalid-argument'],
    ['another format', JSON.stringify({ format: 2, packages: [] }), 'version-mismatch'],
    ['no list', JSON.stringify({ format: 1, packages: {} }), 'invalid-argument'],
    ['null', 'null', 'version-mismatch'],
    ['a name that is an option', locked({ ...bash, name: '-o' }), 'invalid-argument'],
    ['a version with a space', locked({ ...bash, version: '1 2' }), 'invalid-argument'],
    ['a digest that is a path', locked({ ...bash, sha256: '../../etc/passwd' }), 'invalid-argument'],
    ['a size that is no number', locked({ ...bash, sizeBytes: '1' }), 'invalid-argument'],
    ['a package twice', locked(bash, bash), 'invalid-argument'],
    ['packages out of order', locked(tzdata, bash), 'invalid-argument'],
    ['nothing for a package', locked(null), 'invalid-argument'],
  ])('refuses %s', (_, text, code) => {
    expect(() => parseLock(text)).toThrow(expect.objectContaining({ code }));
  });
});
