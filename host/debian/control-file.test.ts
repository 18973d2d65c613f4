import { describe, expect, test } from 'vitest';
import { parsePackages } from './archive-package.ts';
import { parseControl } from './control-file.ts';

describe('control files (O-11)', () => {
  test('splits stanzas, lowers field names, keeps continuations', () => {
    const text = 'Package: a\nDescription: short\n long\n .\n\n\nPackage: b\n';
    expect(parseControl(text).map((stanza) => Object.fromEntries(stanza))).toEqual([
      { package: 'a', description: 'short\n long\n .' },
      { package: 'b' },
    ]);
  });

  test.each([' orphan\n', 'no field\n', ': empty\n'])('refuses %j', (text) => {
    expect(() => parseControl(text)).toThrow(RangeError);
  });

  test('reads what apt-cache shows, and refuses a package without its digest', () => {
    const shown = `Package: tcc\nVersion: 0.9.27-1\nArchitecture: i386\nSize: 247000\nSHA256: ${'0'.repeat(64)}\n`;
    expect(parsePackages(shown)).toEqual([
      { name: 'tcc', version: '0.9.27-1', architecture: 'i386', sha256: '0'.repeat(64), sizeBytes: 247_000 },
    ]);
    expect(() => parsePackages(shown.replace(/SHA256.*\n/, ''))).toThrow('has no sha256');
  });
});
