import type { Terminal } from '@xterm/xterm';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { BoundedTerminal } from './bounded-terminal.ts';

const columns = 80;
const rows = 24;
/** A screen that is written, read and moved by lines. */
const screenSteps = 4 * columns * rows;
const numbers = [
  '',
  '0',
  '1',
  '2',
  '3',
  '99',
  '20000000',
  '2147483647',
  '18446744073709551616',
  '9;9999999999;1',
];

/** The parts of xterm.js that touch cells, lines, tab stops and links. */
interface Core {
  readonly buffer: { readonly lines: { get(index: number): object } };
  readonly _oscLinkService: object;
  /** Takes text at once, where `write` waits for a timer each time. */
  readonly _inputHandler: { parse(text: string): void };
}

function coreOf(terminal: Terminal): Core {
  return (terminal as unknown as { readonly _core: Core })._core;
}

/** Counts what xterm.js does to cells, lines, tab stops and markers, and ends what does far more than it may. */
function countSteps(terminal: Terminal): { steps: number } {
  const count = { steps: 0 };
  const { buffer, _oscLinkService } = coreOf(terminal);
  const marker = terminal.registerMarker(0);
  for (const part of [buffer, buffer.lines, buffer.lines.get(0), _oscLinkService]) {
    const methods = Object.getPrototypeOf(part);
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(methods)))
      if (typeof value === 'function' && name !== 'constructor')
        Reflect.set(methods, name, function (this: unknown, ...given: unknown[]) {
          if (++count.steps > 100 * screenSteps) throw new Error('It does not end');
          return value.apply(this, given);
        });
  }
  marker.dispose();
  return count;
}

const terminal = new BoundedTerminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true });
const count = countSteps(terminal);

async function write(text: string): Promise<void> {
  count.steps = Number.NEGATIVE_INFINITY;
  await new Promise<void>((resolve) => terminal.write(text, resolve));
}

/** Those that take more than a screen does, each after all that the ones before it and `before` did. */
function costly(texts: Iterable<string>, before = 'A'): string[] {
  const input = coreOf(terminal)._inputHandler;
  const found: string[] = [];
  for (const text of texts) {
    input.parse(before);
    count.steps = 0;
    input.parse(text);
    if (count.steps > screenSteps) found.push(`${JSON.stringify(text.slice(0, 40))}: ${count.steps}`);
  }
  return found;
}

function* controlSequences(): Generator<string> {
  for (const prefix of ['', '<', '=', '>', '?'])
    for (const intermediate of ['', ' ', '!', '"', '$', "'", '*', '+'])
      for (let final = 0x40; final < 0x7f; final++)
        for (const number of numbers)
          yield `\x1b[${prefix}${number}${intermediate}${String.fromCharCode(final)}`;
}

describe('H-9 what a sandbox sends its terminal costs no more than a screen', () => {
  test('each control sequence, with any number', async () => {
    expect(costly(controlSequences())).toEqual([]);
  });

  test('each escape sequence, and each control string with any number', async () => {
    const escapes = Array.from({ length: 0x4f }, (_, at) => `\x1b${String.fromCharCode(0x30 + at)}`);
    const strings = Array.from({ length: 200 }, (_, command) => `\x1b]${command};99999999999\x07`);
    const device = numbers.flatMap((number) =>
      ['$q', '+q', 'q', '|'].map((kind) => `\x1bP${number}${kind}r\x1b\\`),
    );
    expect(costly([...escapes, '\x1b#8', ...strings, ...device])).toEqual([]);
  });

  test('a repeated character with a thousand others on it', async () => {
    expect(costly(['\x1b[2147483647b'], `\x1bcA${'\u0301'.repeat(1_000)}`)).toEqual([]);
  });

  test('a cell with as many characters as are sent', async () => {
    await write(`\x1bca\u0301b${'\u0301'.repeat(10_000)}c`);
    const cells = Array.from({ length: rows }, (_, y) => terminal.buffer.active.getLine(y)).flatMap((line) =>
      Array.from({ length: columns }, (_, x) => line?.getCell(x)?.getChars() ?? ''),
    );
    expect(cells[0]).toBe('a\u0301');
    expect(Math.max(...cells.map((characters) => characters.length))).toBe(limits.terminalCellCharacters);
    expect(cells.join('')).toContain('c');
  });

  test('a line, and each character of it, in and after a link that does not end', async () => {
    for (const before of [
      '\x1b]8;;http://a\x07',
      '\x1b]8;id=1;http://a\x07',
      '\x1b]8;;http://a\x07'.repeat(10_000),
    ]) {
      await write(`\x1bc${before}${'a line\r\n'.repeat(800)}`);
      expect(terminal.markers.length).toBeLessThanOrEqual(limits.terminalLinkLines);
      expect(costly(['b\r\n'], '')).toEqual([]);
    }
  });

  test('a repeated and a scrolled screen are as without a bound, where there is something to see', async () => {
    await write('\x1bcA\x1b[78b\r\nB\x1b[9999b');
    const shown = (): (string | undefined)[] =>
      Array.from({ length: rows }, (_, at) =>
        terminal.buffer.active.getLine(terminal.buffer.active.baseY + at)?.translateToString(true),
      );
    expect(new Set(shown().slice(0, -1))).toEqual(new Set(['B'.repeat(columns)]));
    await write('\x1b[9999S');
    expect(shown()).toEqual(Array(rows).fill(''));
    await write('\x1b[H1\t2\x1b[9999I3\b\x1b[9999Z4');
    expect(shown()[0]).toBe(`4       2${' '.repeat(70)}3`);
  });

  test('long texts of commands are left out, short ones are not', async () => {
    const titles: string[] = [];
    terminal.onTitleChange((title) => titles.push(title));
    await write(`\x1b]2;${'x'.repeat(limits.terminalCommandCharacters + 1)}\x07\x1b]0;short\x07`);
    expect(titles).toEqual(['short']);
  });
});
