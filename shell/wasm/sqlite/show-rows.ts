import { jsonOfValue, literalOfValue, quoted, type SqlValue, textOfValue } from './format-value.ts';
import type { RowSettings } from './output-mode.ts';
import { showTable, tableStyles } from './show-table.ts';

export interface Rows {
  readonly columns: readonly string[];
  readonly values: Iterable<readonly SqlValue[]>;
}

/** Shows the rows of one statement, piece by piece. */
export function showRows(rows: Rows, settings: RowSettings, write: (text: string) => void): void {
  const style = tableStyles[settings.mode];
  if (style !== undefined) showTable(rows, { settings, style, write });
  else if (settings.mode === 'json') showJson(rows, write);
  else showEach(rows, settings, write);
}

function showEach(rows: Rows, settings: RowSettings, write: (text: string) => void): void {
  let isFirst = true;
  for (const row of rows.values) {
    if (isFirst && settings.headers) write(headerOf(rows.columns, settings));
    write(rowOf(rows.columns, row, settings, isFirst));
    isFirst = false;
  }
}

function headerOf(columns: readonly string[], settings: RowSettings): string {
  const { columnSeparator, rowSeparator } = settings;
  switch (settings.mode) {
    case 'line':
    case 'insert':
      return '';
    case 'html':
      return `<TR>${columns.map((name) => `<TH>${escapeHtml(name)}</TH>`).join('\n')}\n</TR>\n`;
    case 'csv':
      return columns.map((name) => csvOf(name, columnSeparator)).join(columnSeparator) + rowSeparator;
    case 'quote':
      return columns.map((name) => quoted(name)).join(columnSeparator) + rowSeparator;
    default:
      return columns.join(columnSeparator) + rowSeparator;
  }
}

function rowOf(
  columns: readonly string[],
  row: readonly SqlValue[],
  settings: RowSettings,
  isFirst: boolean,
): string {
  const { columnSeparator, rowSeparator, nullText } = settings;
  switch (settings.mode) {
    case 'line': {
      const width = Math.max(5, ...columns.map((name) => name.length));
      const lines = row.map(
        (value, index) => `${(columns[index] ?? '').padStart(width)} = ${textOfValue(value, nullText)}\n`,
      );
      return (isFirst ? '' : '\n') + lines.join('');
    }
    case 'insert':
      return `INSERT INTO ${nameInSql(settings.table)} VALUES(${row.map(literalOfValue).join(',')});\n`;
    case 'html':
      return `<TR>${row.map((value) => `<TD>${escapeHtml(textOfValue(value, nullText))}</TD>`).join('\n')}\n</TR>\n`;
    case 'csv':
      return (
        row
          .map((value) => (value === null ? nullText : csvOf(textOfValue(value), columnSeparator)))
          .join(columnSeparator) + rowSeparator
      );
    case 'quote':
      return row.map(literalOfValue).join(columnSeparator) + rowSeparator;
    default:
      return row.map((value) => textOfValue(value, nullText)).join(columnSeparator) + rowSeparator;
  }
}

function showJson({ columns, values }: Rows, write: (text: string) => void): void {
  let start = '[{';
  for (const row of values) {
    const members = row.map((value, index) => `${jsonOfValue(columns[index] ?? '')}:${jsonOfValue(value)}`);
    write(`${start}${members.join(',')}}`);
    start = ',\n{';
  }
  if (start !== '[{') write(']\n');
}

/** RFC 4180, with quotes around all but plain characters of ASCII. */
function csvOf(text: string, separator: string): string {
  const isPlain = /^[!#-&(-~]+$/.test(text) && (separator === '' || !text.includes(separator));
  return isPlain ? text : quoted(text, '"');
}

/** A name as SQL: in quotes where it needs them. */
export function nameInSql(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !keywords.has(name.toUpperCase())
    ? name
    : quoted(name, '"');
}

const keywords = new Set(
  (
    'ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT DEFERRABLE DELETE DISTINCT ' +
    'DROP ELSE ESCAPE EXISTS FOREIGN FROM GROUP HAVING IN INDEX INSERT INTERSECT INTO IS ISNULL JOIN LIMIT NOT NOTNULL NULL ON ' +
    'OR ORDER PRIMARY REFERENCES RETURNING SELECT SET TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE'
  ).split(' '),
);

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => htmlEscapes[character] ?? character);
}
