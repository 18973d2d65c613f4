import { type SqlValue, textOfValue } from './format-value.ts';
import type { OutputMode, RowSettings } from './output-mode.ts';

interface Line {
  readonly left: string;
  readonly fill: string;
  readonly cross: string;
  readonly right: string;
}

interface TableStyle {
  readonly top?: Line;
  readonly middle: Line;
  readonly bottom?: Line;
  /** Of a row: before its cells, between them, after them. */
  readonly bars: readonly [string, string, string];
  readonly centersNames: boolean;
}

const line = (left: string, fill: string, cross: string, right: string): Line => ({
  left,
  fill,
  cross,
  right,
});

export const tableStyles: Partial<Record<OutputMode, TableStyle>> = {
  column: { middle: line('', '-', '  ', ''), bars: ['', '  ', ''], centersNames: false },
  table: {
    top: line('+-', '-', '-+-', '-+'),
    middle: line('+-', '-', '-+-', '-+'),
    bottom: line('+-', '-', '-+-', '-+'),
    bars: ['| ', ' | ', ' |'],
    centersNames: true,
  },
  markdown: { middle: line('|-', '-', '-|-', '-|'), bars: ['| ', ' | ', ' |'], centersNames: true },
  box: {
    top: line('┌─', '─', '─┬─', '─┐'),
    middle: line('├─', '─', '─┼─', '─┤'),
    bottom: line('└─', '─', '─┴─', '─┘'),
    bars: ['│ ', ' │ ', ' │'],
    centersNames: true,
  },
};

/** Shows rows as a table, all of which are held. Nothing of none. */
export function showTable(
  {
    columns,
    values,
  }: { readonly columns: readonly string[]; readonly values: Iterable<readonly SqlValue[]> },
  { settings, style, write }: { settings: RowSettings; style: TableStyle; write: (text: string) => void },
): void {
  const rows: (readonly string[])[][] = [];
  for (const row of values) {
    rows.push(
      row.map((value, index) =>
        cellLines(textOfValue(value, settings.nullText), settings.widths[index] ?? 0),
      ),
    );
  }
  if (rows.length === 0) return;
  const hasNames = settings.mode !== 'column' || settings.headers;
  const widths = columns.map((name, index) =>
    Math.max(
      Math.abs(settings.widths[index] ?? 0),
      widthOf(name),
      ...rows.map((row) => Math.max(0, ...(row[index] ?? []).map(widthOf))),
    ),
  );
  const isTall = rows.some((row) => row.some((lines) => lines.length > 1));
  const rule = ({ left, fill, cross, right }: Line) =>
    `${left}${widths.map((width) => fill.repeat(width)).join(cross)}${right}\n`;
  const [before, between, after] = style.bars;
  const textOfRow = (cells: readonly string[]) => `${before}${cells.join(between)}${after}\n`;
  if (style.top) write(rule(style.top));
  if (hasNames) {
    const place = style.centersNames ? centered : leftAligned;
    write(textOfRow(columns.map((name, index) => place(name, widths[index] ?? 0))));
    write(rule(style.middle));
  }
  for (const [number, row] of rows.entries()) {
    const height = Math.max(...row.map((lines) => lines.length));
    for (let at = 0; at < height; at++) {
      write(textOfRow(row.map((lines, index) => leftAligned(lines[at] ?? '', widths[index] ?? 0))));
    }
    if (isTall && number + 1 < rows.length) write(style.top ? rule(style.middle) : '\n');
  }
  if (style.bottom) write(rule(style.bottom));
}

/** Lines of a cell; a width other than 0 breaks them. */
function cellLines(text: string, width: number): readonly string[] {
  const lines = text.split('\n');
  const most = Math.abs(width);
  if (most === 0) return lines;
  return lines.flatMap((whole) => {
    const characters = [...whole];
    const pieces: string[] = [];
    do pieces.push(characters.splice(0, most).join(''));
    while (characters.length > 0);
    return pieces;
  });
}

function widthOf(text: string): number {
  return [...text].length;
}

function leftAligned(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function centered(text: string, width: number): string {
  const room = Math.max(0, width - widthOf(text));
  const left = Math.floor(room / 2);
  return ' '.repeat(left) + text + ' '.repeat(room - left);
}
