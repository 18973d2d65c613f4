import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommandMark, CommandMarks } from './command-marks.ts';

const start = '\x1b]6973;C;   12  ls -la\r\n\x07';
const end = '\x1b]6973;D;130\x07';

function filter(pieces: readonly string[]): { shown: string; marks: CommandMark[] } {
  const marks: CommandMark[] = [];
  const filters = new CommandMarks((mark) => marks.push(mark));
  const shown = pieces.map((piece) => filters.filter(Uint8Array.from(Buffer.from(piece, 'latin1'))));
  return { shown: Buffer.concat([...shown, filters.flush()]).toString('latin1'), marks };
}

describe('command marks', () => {
  test('are taken out and reported', () => {
    expect(filter([`$ ${start}total 0\r\n${end}$ `])).toEqual({
      shown: '$ total 0\r\n$ ',
      marks: [
        { type: 'start', command: 'ls -la' },
        { type: 'end', exitCode: 130 },
      ],
    });
  });

  test('keep a command of several lines, its digits and its spaces', () => {
    const { marks } = filter([`\x1b]6973;C;    7* 12 monkeys;  echo "a\r\nb"\r\n\x07`]);
    expect(marks).toEqual([{ type: 'start', command: '12 monkeys;  echo "a\nb"' }]);
  });

  test('are found wherever the stream is cut, and nothing else is lost', () => {
    const piece = fc.constantFrom(
      start,
      end,
      '\x1b',
      '\x1b]6973;',
      '\x07',
      '\x1b[0m',
      '\x1b]0;title\x07',
      'text',
      '',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 9 }), (pieces, step) => {
        const stream = pieces.join('');
        const cut = stream.match(new RegExp(`[\\s\\S]{1,${step}}`, 'g')) ?? [];
        const whole = filter([stream]);
        expect(filter(cut)).toEqual(whole);
        expect(whole.shown).not.toContain(end);
        expect(whole.shown.length + marked(whole.marks)).toBe(stream.length);
      }),
    );
  });

  test('that are malformed pass through untouched', () => {
    for (const text of [
      '\x1b]6973;D;\x07',
      '\x1b]6973;D;1x\x07',
      '\x1b]6973;E;1\x07',
      '\x1b]6974;D;1\x07',
      '\x1b]6973;C;half\x1b[0m\x07',
      '\x1b]6973;C;never ends',
    ]) {
      expect(filter([text])).toEqual({ shown: text, marks: [] });
    }
  });

  test('hold back a bounded number of bytes', () => {
    const marks = new CommandMarks(() => undefined);
    const endless = Buffer.from(`\x1b]6973;C;${'x'.repeat(20_000)}`);
    expect(marks.filter(endless)).toHaveLength(endless.length);
    expect(marks.flush()).toHaveLength(0);
  });
});

/** Bytes of the marks that were taken out. */
function marked(marks: readonly CommandMark[]): number {
  return marks.reduce((sum, mark) => sum + (mark.type === 'start' ? start.length : end.length), 0);
}
