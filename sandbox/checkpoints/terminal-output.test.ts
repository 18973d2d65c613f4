import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { shownAt, TerminalOutput } from './terminal-output.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (shown: Uint8Array): string => new TextDecoder().decode(shown);

describe('what a terminal has shown', () => {
  test('is known at every instant that was marked, also after it went back and on', () => {
    const output = new TerminalOutput();
    output.append(bytes('one '));
    const one = output.mark();
    output.append(bytes('two '));
    const two = output.mark();
    output.restore(one);
    output.append(bytes('three'));
    const three = output.mark();
    expect([one, two, three].map((mark) => text(shownAt(mark)))).toEqual(['one ', 'one two ', 'one three']);
    expect(text(shownAt(undefined))).toBe('');
  });

  test('is cut at a line, and kept no longer than it is shown', () => {
    const output = new TerminalOutput();
    for (let line = 0; line < 200_000; line++) output.append(bytes(`line ${line}\r\n`));
    const mark = output.mark();
    const shown = text(shownAt(mark));
    expect(shown.length).toBeLessThanOrEqual(limits.terminalOutputBytes);
    expect(shown.length).toBeGreaterThan(limits.terminalOutputBytes / 2);
    expect(shown).toMatch(/^line \d+\r\n/);
    expect(shown.endsWith('line 199999\r\n')).toBe(true);
    expect(text(shownAt(mark, 40))).toBe('line 199997\r\nline 199998\r\nline 199999\r\n');
    let kept = 0;
    for (let at = mark; at; at = at.before) kept += at.bytes.length;
    expect(kept).toBeLessThan(limits.terminalOutputBytes * 1.5);
  });

  test('asks nothing when it is shown again', () => {
    const output = new TerminalOutput();
    output.append(bytes('a\x1b[6nb\x1b[cc\x1b[>0cd\x1b]11;?\x07e\x1bP+q544e\x1b\\f\x1b[31mred\x1b[0m'));
    expect(text(shownAt(output.mark()))).toBe('abcdef\x1b[31mred\x1b[0m');
  });
});
