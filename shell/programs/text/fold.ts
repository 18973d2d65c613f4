import { encodeText, type ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import type { Program } from '../program.ts';
import { eachLine } from './each-line.ts';

export const fold: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Wrap input lines in each FILE, writing to standard output.',
  options: {
    bytes: '-b, --bytes  count bytes rather than columns',
    spaces: '-s, --spaces  break at spaces',
    width: '-w, --width=WIDTH  use WIDTH columns instead of 80',
  },
  rewrite: (args) => args.map((argument) => argument.replace(/^-(\d+)$/, '-w$1')),
  async run(invocation) {
    const { options } = invocation;
    const width = Math.max(countOf(options.value('width') ?? '80', 'invalid number of columns'), 1);
    const rules = { width, inBytes: options.has('bytes'), atSpaces: options.has('spaces') };
    return eachLine(invocation, (line) => foldLine(line, rules));
  },
});

function foldLine(
  line: ShellText,
  { width, inBytes, atSpaces }: { width: number; inBytes: boolean; atSpaces: boolean },
): ShellText {
  if (line.length <= width && /^[ -~]*$/.test(line)) return line;
  const columnAfter = (column: number, character: string) => {
    // GNU's fold counts the bytes of a character as columns, whatever the locale is.
    if (inBytes) return column + encodeText(character).length;
    if (character === '\b') return Math.max(column - 1, 0);
    if (character === '\r') return 0;
    if (character === '\t') return column + 8 - (column % 8);
    return column + encodeText(character).length;
  };
  const rows: ShellText[] = [];
  let row = '';
  let column = 0;
  for (const character of line) {
    let after = columnAfter(column, character);
    while (after > width && row !== '') {
      const space = atSpaces ? Math.max(row.lastIndexOf(' '), row.lastIndexOf('\t')) + 1 : 0;
      const cut = space > 0 ? space : row.length;
      rows.push(row.slice(0, cut));
      row = row.slice(cut);
      column = 0;
      for (const kept of row) column = columnAfter(column, kept);
      after = columnAfter(column, character);
    }
    row += character;
    column = after;
  }
  return [...rows, row].join('\n');
}
