import { describe, expect, test } from 'vitest';
import { readAr } from './ar.ts';

const magic = '!<arch>\n';

function member(name: string, content: string, size: string = String(content.length)): string {
  const header = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${size.padEnd(10)}\`\n`;
  return header + content + (content.length % 2 ? '\n' : '');
}

function archive(...members: string[]): Uint8Array {
  return Buffer.from(magic + members.join(''), 'latin1');
}

describe('ar archives (O-11)', () => {
  test('lists members in order, odd sizes and trailing slashes included', () => {
    const members = readAr(
      archive(member('debian-binary', '2.0\n'), member('odd/', 'abc'), member('last', '')),
    );
    expect(members.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['debian-binary', '2.0\n'],
      ['odd', 'abc'],
      ['last', ''],
    ]);
  });

  test.each([
    ['no magic', Buffer.from('!<arsh>\n'), 'Not an ar archive'],
    ['nothing', new Uint8Array(), 'Not an ar archive'],
    ['half a header', archive('debian-binary'), 'no member header at 8'],
    ['a size past the end', archive(member('a', 'b', '99')), 'The ar member "a" is cut off'],
    ['a size that is no number', archive(member('a', 'b', '1e3')), 'The ar member "a" is cut off'],
    [
      'too many members',
      archive(...Array.from({ length: 65 }, () => member('a', ''))),
      'more than 64 members',
    ],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readAr(bytes)).toThrow(message);
  });
});
