import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { CliOutput } from '../context.ts';
import { agoText, bytesText, durationText } from './amounts.ts';
import { inColumns } from './columns.ts';
import { cutText, plainLine, plainLines, plainText } from './plain-text.ts';
import { Style } from './style.ts';

function output(terminal: { readonly columns?: number } | undefined): CliOutput {
  return Object.assign(new PassThrough(), terminal ? { isTTY: true, ...terminal } : {});
}

test('H-9 text of a sandbox is one line in which nothing is hidden', () => {
  expect(plainText('a\tb\nc\x1b[31m\x9b\u202e\u2028ü\ud800')).toBe(
    'a\\tb\\nc\\x1b[31m\\x9b\\u{202e}\\u{2028}ü\\u{d800}',
  );
  expect(plainLine('a\tb\r')).toBe('a\tb\\r');
  expect(plainLines('a\x1b\r\ncoppice: b')).toBe('a\\x1b\n  coppice: b');
});

test('on a terminal, lines are coloured and cut to its width; elsewhere they are whole and plain', () => {
  const pieces = ['* ', ['yellow', '12345678'] as const, '  a title'];
  const shown = new Style({ stdout: output({ columns: 8 }), environment: {} });
  expect(shown.line(pieces)).toBe('* \x1b[33m12345…\x1b[39m');
  const unsized = new Style({ stdout: output({ columns: 0 }), environment: { NO_COLOR: '1' } });
  expect(unsized.line(pieces)).toBe('* 12345678  a title');
  const piped = new Style({ stdout: output(undefined), environment: {} });
  expect(piped.line(pieces)).toBe('* 12345678  a title');
  const plain = new Style({ stdout: output({ columns: 80 }), environment: { NO_COLOR: '1' } });
  expect(plain.line(pieces)).toBe('* 12345678  a title');
});

test('amounts are as short as a column wants them', () => {
  expect([0, 999, 1_000, 6_500_000, 2 ** 40].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.0 KiB',
    '6.2 MiB',
    '1.0 TiB',
  ]);
  expect([0, 12_000, 240_000, 7_200_000, 432_000_000].map((ms) => agoText(0, ms))).toEqual([
    'now',
    '12 s',
    '4 min',
    '2 h',
    '5 d',
  ]);
  expect(agoText(0, 1e12)).toBe('1970-01-01');
  expect(agoText(10, 0)).toBe('now');
  expect([3.4, 800, 1_500, 59_000, 125_000].map(durationText)).toEqual([
    '3 ms',
    '800 ms',
    '1.5 s',
    '59 s',
    '2 min 5 s',
  ]);
});

test('columns stand below each other, and characters beyond 16 bits count as one', () => {
  expect(
    inColumns([
      ['a', 'b'],
      ['𝒂𝒂', 'c'],
    ]),
  ).toEqual(['a   b', '𝒂𝒂  c']);
  expect(cutText('𝒂𝒂𝒂', 2)).toBe('𝒂…');
});

test('H-9 a line is cut by the columns that its characters take', () => {
  const shown = new Style({ stdout: output({ columns: 10 }), environment: { NO_COLOR: '1' } });
  expect(shown.line(['漢字漢字漢字', 'more'])).toBe('漢字漢字…');
  expect(shown.line(['e\u0301'.repeat(10), 'x'])).toBe('e\u0301'.repeat(10));
  expect(
    inColumns([
      ['漢', 'a'],
      ['bb', 'c'],
    ]),
  ).toEqual(['漢  a', 'bb  c']);
});
