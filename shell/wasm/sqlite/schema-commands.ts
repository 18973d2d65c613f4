import { literalOnOneLine, quoted, textOfValue } from './format-value.ts';
import { nameInSql } from './show-rows.ts';
import type { SqliteShell } from './sqlite-shell.ts';

const lineWidth = 80;

/** Names in as many columns as fit, from top to bottom. */
export function namesInColumns(names: readonly string[]): string {
  const longest = Math.max(0, ...names.map((name) => name.length));
  const columns = Math.max(1, Math.floor(lineWidth / (longest + 2)));
  const height = Math.ceil(names.length / columns);
  const lines = Array.from({ length: height }, (_, row) =>
    names
      .filter((_name, index) => index % height === row)
      .map((name) => name.padEnd(longest))
      .join('  '),
  );
  return lines.map((text) => `${text}\n`).join('');
}

export async function showSchema(shell: SqliteShell, pattern = '%'): Promise<void> {
  const database = await shell.database();
  const found = database.query(
    'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND lower(tbl_name) LIKE lower(?) ORDER BY rowid',
    [pattern],
  );
  for (const row of found) {
    const [type, name, sql] = row.map((value) => textOfValue(value));
    const columns = () => database.query('SELECT name FROM pragma_table_info(?)', [name ?? '']);
    const shape =
      type === 'view'
        ? `\n/* ${nameInSql(name ?? '')}(${columns()
            .map(([column]) => textOfValue(column ?? null))
            .join(',')}) */`
        : '';
    shell.write(`${createStatement(sql ?? '')}${shape};\n`);
  }
}

/** Writes SQL that makes the database again. */
export async function dumpDatabase(shell: SqliteShell, pattern = '%'): Promise<void> {
  const database = await shell.database();
  const write = (text: string) => shell.write(`${text}\n`);
  write('PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;');
  const tables = database.query(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL AND name LIKE ? ORDER BY tbl_name = 'sqlite_sequence', rowid",
    [pattern],
  );
  for (const row of tables) {
    const [name = '', sql = ''] = row.map((value) => textOfValue(value));
    if (/^CREATE VIRTUAL/i.test(sql)) {
      throw new Error(`Error: ${name} is a virtual table, which .dump has not here: use a machine`);
    }
    if (name === 'sqlite_sequence') write('DELETE FROM sqlite_sequence;');
    else if (/^sqlite_/.test(name)) continue;
    else write(`${createStatement(sql)};`);
    for (const values of database.query(`SELECT * FROM ${quoted(name, '"')}`)) {
      write(`INSERT INTO ${nameInSql(name)} VALUES(${values.map(literalOnOneLine).join(',')});`);
    }
  }
  const others = database.query(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('index', 'trigger', 'view') AND tbl_name LIKE ? ORDER BY rowid",
    [pattern],
  );
  for (const [sql] of others) write(`${textOfValue(sql ?? null)};`);
  write('COMMIT;');
}

/** As sqlite3 shows it: a table whose name is in quotes may be there already. */
function createStatement(sql: string): string {
  return sql.replace(/^CREATE TABLE (?=["'[])/, 'CREATE TABLE IF NOT EXISTS ');
}
