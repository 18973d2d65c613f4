import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { displayWidth } from '../notation/display-width.ts';
import type { Program } from '../program.ts';
import { textLines } from '../streams/text-lines.ts';

export const column: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Columnate lists.',
  options: {
    table: '-t, --table  create a table',
    names: '-N, --table-columns=NAMES  comma separated columns names',
    right: '-R, --table-right=COLUMNS  right align text in these columns',
    outputWidth: '-c, --output-width=WIDTH  width of output in number of characters',
    outputSeparator:
      '-o, --output-separator=STRING  columns separator for table output (default is two spaces)',
    separator: '-s, --separator=STRING  possible table delimiters',
    emptyLines: "-L, --keep-empty-lines  don't ignore empty lines",
    rows: '-x, --fillrows  fill rows before columns',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const lines: ShellText[] = [];
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const isDone = await withInput(invocation, { name }, async (file) => {
        for await (const batch of textLines(file, call.signal)) {
          for (const line of batch.lines)
            if (line.trim() !== '' || options.has('emptyLines')) lines.push(line);
        }
      });
      if (!isDone) status = 1;
    }
    if (options.has('table')) {
      out.add(
        tableOf(lines, {
          separators: options.value('separator'),
          between: options.value('outputSeparator') ?? '  ',
          names: options.value('names')?.split(','),
          right: options.value('right')?.split(',') ?? [],
        }),
      );
      return status;
    }
    const width = countOf(
      options.value('outputWidth') ?? call.environment.get('COLUMNS') ?? '80',
      'invalid columns argument',
    );
    out.add(listOf(lines, width, options.has('rows')));
    return status;
  },
});

interface TableStyle {
  readonly separators: ShellText | undefined;
  readonly between: ShellText;
  readonly names: readonly ShellText[] | undefined;
  readonly right: readonly ShellText[];
}

function tableOf(lines: readonly ShellText[], { separators, between, names, right }: TableStyle): ShellText {
  const rows = lines.map((line) => {
    if (separators === undefined) return line.trim().split(/[ \t]+/);
    const cells = [''];
    for (const character of line) {
      if (separators.includes(character)) cells.push('');
      else cells[cells.length - 1] += character;
    }
    return cells;
  });
  const all = names ? [[...names], ...rows] : rows;
  const count = all.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: count }, (_, index) =>
    all.reduce((widest, row) => Math.max(widest, displayWidth(row[index] ?? '')), 0),
  );
  const isRight = (index: number) =>
    right.includes(String(index + 1)) || right.includes(names?.[index] ?? '\0');
  const text = all.map((row) => {
    const cells = Array.from({ length: count }, (_, index) => {
      const cell = row[index] ?? '';
      const padding = ' '.repeat((widths[index] ?? 0) - displayWidth(cell));
      if (isRight(index)) return padding + cell;
      return index === count - 1 ? cell : cell + padding;
    });
    return `${cells.join(between)}\n`;
  });
  return text.join('');
}

const tab = 8;

/** As many columns as fit, each as wide as the widest entry, filled with tabs. */
function listOf(lines: readonly ShellText[], width: number, byRows: boolean): ShellText {
  const widest = lines.reduce((most, line) => Math.max(most, displayWidth(line)), 0);
  const size = (Math.floor(widest / tab) + 1) * tab;
  const columns = Math.max(Math.floor(width / size), 1);
  if (columns === 1) return lines.map((line) => `${line}\n`).join('');
  const rows = Math.ceil(lines.length / columns);
  let text = '';
  for (let row = 0; row < rows; row++) {
    const entries = Array.from(
      { length: columns },
      (_, index) => lines[byRows ? row * columns + index : index * rows + row],
    ).filter((entry) => entry !== undefined);
    entries.forEach((entry, index) => {
      text += entry;
      if (index === entries.length - 1) return;
      for (let at = displayWidth(entry); at < size; at = (Math.floor(at / tab) + 1) * tab) text += '\t';
    });
    text += '\n';
  }
  return text;
}
