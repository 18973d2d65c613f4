import { expect, test } from 'vitest';
import { PlainScreen } from './plain-screen.ts';

const shownBy = (output: string, columns = 10, rows = 3): string[] => {
  const screen = new PlainScreen(columns, rows);
  screen.write(output);
  return screen.lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
};

test('P-6 the picture of a recording has what its terminal shows: text, cursor, erasing, scrolling, wide characters', () => {
  expect(shownBy('one\r\ntwo\r\nthree\r\nfour')).toEqual(['two', 'three', 'four']);
  expect(shownBy('0123456789ab')).toEqual(['0123456789', 'ab', '']);
  expect(shownBy('abc\x1b[2;4Hd\x1b[1Ae\x1b[1;1H\x1b[1P\x1b[2@x')).toEqual(['x bc e', '   d', '']);
  expect(shownBy('abc\rX\x1b[K\n\x1b[3;1Hz\x1b[2Jnew')).toEqual(['', '', ' new']);
  expect(shownBy('日本é\b!')).toEqual(['日本!', '', '']);
  expect(shownBy('shell\x1b[?1049hvim')).toEqual(['vim', '', '']);
  const screen = new PlainScreen(10, 1);
  screen.write('\x1b[1;31ma\x1b[38;5;196mb\x1b[48;2;1;2;300mc\x1b[0md');
  expect(screen.lines[0]?.slice(0, 4).map(({ style }) => style)).toEqual([
    { bold: true, foreground: 1 },
    { bold: true, foreground: '#ff0000' },
    { bold: true, foreground: '#ff0000', background: '#0102ff' },
    {},
  ]);
});

test('H-9 of hostile output nothing but text is shown, in bounded time and memory', () => {
  expect(shownBy('\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\link\x1b]52;c;YQ==')).toEqual([
    'link',
    '',
    '',
  ]);
  expect(shownBy('\x1b[999999999;999999999Hx\x1b[999999999P\x1b[999999999@\x1b[999999999My')[2]).toBe('y');
  expect(new PlainScreen(1_000_000, 1_000_000).lines.length).toBeLessThan(1_000);
  // Each of these could take the square of its length.
  expect(shownBy(`${'\x1b]'.repeat(50_000)}`)).toEqual(['', '', '']);
  expect(shownBy(`a${'\u0301'.repeat(100_000)}`)[0]?.length).toBeLessThan(20);
});
