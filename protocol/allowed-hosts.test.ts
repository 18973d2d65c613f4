import { expect, test } from 'vitest';
import { parseAllowedHost, readAddress } from './allowed-hosts.ts';

test('S-8 an entry of a list is a name, the names below one, an address or a range, with a port or without', () => {
  const name = { type: 'name', name: 'pypi.org', isBelow: false, port: undefined };
  expect(parseAllowedHost('pypi.org')).toEqual(name);
  expect(parseAllowedHost('PyPI.org:443')).toEqual({ ...name, port: 443 });
  expect(parseAllowedHost('*.debian.org:80')).toEqual({
    ...{ type: 'name', name: 'debian.org', isBelow: true, port: 80 },
  });
  expect(parseAllowedHost('mirror')).toEqual({ ...name, name: 'mirror' });
  const first = readAddress('203.0.113.7');
  expect(parseAllowedHost('203.0.113.7:22')).toEqual({ type: 'addresses', first, last: first, port: 22 });
  const range = { type: 'addresses', first: readAddress('10.1.2.0'), last: readAddress('10.1.2.255') };
  expect(parseAllowedHost('10.1.2.77/24')).toEqual({ ...range, port: undefined });
  const all = { type: 'addresses', first: 0, last: 0xffff_ffff, port: undefined };
  expect(parseAllowedHost('203.0.113.7/0')).toEqual(all);
});

test.each([
  ...['', '*', '*.', '.org', 'pypi.org.', 'a..b', '-a.org', 'a b.org', 'pypi.org\n', 'пример.рф', '*.*.org'],
  ...['https://pypi.org', 'pypi.org/simple', 'user@pypi.org', 'a*.org', 'x.*', `${'a'.repeat(64)}.org`],
  ...['pypi.org:', 'pypi.org:0', 'pypi.org:65536', 'pypi.org:0443', 'pypi.org:80:80', ':443'],
  ...[
    '10.0.0',
    '256.1.1.1',
    '010.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '::1',
    '[::1]:80',
    '1.2.3.4.5',
  ],
  `${'a.'.repeat(127)}aa`,
])('S-8 %j is no entry of a list', (text) => {
  expect(() => parseAllowedHost(text)).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining('Cannot allow a sandbox to reach'),
    }),
  );
});

test('S-8 a name in other letters is refused with what to give instead', () => {
  expect(() => parseAllowedHost('пример.рф')).toThrow('xn--');
  expect(() => parseAllowedHost('a..b')).not.toThrow('xn--');
});
