import { quoted, textOfValue } from './format-value.ts';
import { orCannotOpen } from './or-cannot-open.ts';
import { readCsv } from './read-csv.ts';
import type { SqliteShell } from './sqlite-shell.ts';

/** `.import [--csv] [--skip N] FILE TABLE`: a table that is not there is made, with the names in the first row. */
export async function importFile(shell: SqliteShell, args: readonly string[]): Promise<void> {
  const { isCsv, skip, operands } = optionsOf(args);
  const [file, table] = operands;
  if (file === undefined || table === undefined) throw new Error('Usage: .import FILE TABLE');
  const { settings } = shell;
  const text = await orCannotOpen(file, () => shell.readText(file));
  const columnSeparator = isCsv ? ',' : settings.columnSeparator;
  if (settings.mode === 'csv' && settings.rowSeparator === '\r\n') settings.rowSeparator = '\n';
  const rowSeparator = isCsv ? '\n' : settings.rowSeparator;
  const rows = [...readCsv(text, { columnSeparator, rowSeparator })].slice(skip);
  const database = await shell.database();
  const known = () => database.query('SELECT name FROM pragma_table_info(?)', [table]);
  let firstLine = skip + 1;
  if (known().length === 0) {
    const names = rows.shift();
    if (names === undefined) throw new Error(`${file}: empty file`);
    firstLine += 1;
    const columns = names.map((name) => `${quoted(name || '?', '"')} TEXT`).join(', ');
    database.run(`CREATE TABLE IF NOT EXISTS ${quoted(table, '"')}(\n${columns})`, () => {});
  }
  const count = known().map(([name]) => textOfValue(name ?? null)).length;
  const fitting = rows.map((row, index) => {
    if (row.length !== count) {
      const what = row.length < count ? 'filling the rest with NULL' : 'extras ignored';
      shell.warn(
        `${file}:${firstLine + index}: expected ${count} columns but found ${row.length} - ${what}\n`,
      );
    }
    return Array.from({ length: count }, (_, at) => row[at] ?? null);
  });
  const places = Array.from({ length: count }, () => '?').join(',');
  database.run('SAVEPOINT import', () => {});
  try {
    database.insert(`INSERT INTO ${quoted(table, '"')} VALUES(${places})`, fitting);
  } finally {
    database.run('RELEASE import', () => {});
  }
}

function optionsOf(args: readonly string[]): { isCsv: boolean; skip: number; operands: string[] } {
  const operands: string[] = [];
  let isCsv = false;
  let skip = 0;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (!argument.startsWith('-')) operands.push(argument);
    else if (/^--?csv$/.test(argument)) isCsv = true;
    else if (/^--?skip$/.test(argument)) skip = Number(args[++at]) || 0;
    else if (!/^--?v$/.test(argument)) throw new Error(`ERROR: unknown option: "${argument}".`);
  }
  return { isCsv, skip, operands };
}
