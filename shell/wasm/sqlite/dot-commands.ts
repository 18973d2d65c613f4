import { textOfValue } from './format-value.ts';
import { importFile } from './import-file.ts';
import { orCannotOpen } from './or-cannot-open.ts';
import { outputModes, setMode } from './output-mode.ts';
import { dumpDatabase, namesInColumns, showSchema } from './schema-commands.ts';
import { SqliteExit, type SqliteShell } from './sqlite-shell.ts';

type DotCommand = (shell: SqliteShell, args: readonly string[]) => void | Promise<void>;

const commands: Readonly<Record<string, DotCommand>> = {
  backup: save,
  bail: (shell, args) => {
    shell.isBailing = isOn('bail', args);
  },
  changes: (shell, args) => {
    shell.showsChanges = isOn('changes', args);
  },
  databases: (shell) => {
    const file = shell.path === undefined ? '""' : shell.absolute(shell.path);
    shell.write(`main: ${file} ${shell.isReadOnly ? 'r/o' : 'r/w'}\n`);
  },
  dump: async (shell, [pattern]) => dumpDatabase(shell, pattern),
  echo: (shell, args) => {
    shell.isEchoing = isOn('echo', args);
  },
  exit: (_, [code]) => {
    throw new SqliteExit(Number(code ?? 0) & 0xff);
  },
  headers: (shell, args) => {
    shell.settings.headers = isOn('headers', args);
    shell.settings.areHeadersSet = true;
  },
  help: (shell) =>
    shell.write(
      `${Object.keys(commands)
        .sort()
        .map((name) => `.${name}`)
        .join('\n')}\n`,
    ),
  import: importFile,
  indexes: async (shell, [table]) => {
    const database = await shell.database();
    const where = table === undefined ? '' : 'AND tbl_name LIKE ?';
    const names = database.query(
      `SELECT name FROM sqlite_schema WHERE type = 'index' ${where} ORDER BY 1`,
      table === undefined ? [] : [table],
    );
    shell.write(namesInColumns(names.map(([name]) => textOfValue(name ?? null))));
  },
  mode: (shell, [mode, table]) => {
    const { settings } = shell;
    if (mode === undefined) return shell.write(`current output mode: ${settings.mode}\n`);
    const found = outputModes.find((name) => name.startsWith(mode));
    if (found === undefined) {
      throw new Error(`Error: mode should be one of: ${outputModes.join(' ')}`);
    }
    setMode(settings, found);
    if (found === 'insert') settings.table = table ?? 'table';
    if (found === 'column' && !settings.areHeadersSet) settings.headers = true;
  },
  nullvalue: (shell, [text]) => {
    if (text === undefined) throw new Error('Usage: .nullvalue STRING');
    shell.settings.nullText = text;
  },
  once: (shell, [file]) => redirect(shell, file, true),
  open: (shell, [file]) => shell.openOther(file),
  output: (shell, [file]) => redirect(shell, file, false),
  print: (shell, args) => shell.write(`${args.join(' ')}\n`),
  quit: () => {
    throw new SqliteExit(0);
  },
  read: async (shell, [file]) => {
    if (file === undefined) throw new Error('Usage: .read FILE');
    const text = await orCannotOpen(file, () => shell.readText(file));
    if (await shell.runLines(text)) throw new Error('');
  },
  save,
  schema: async (shell, [pattern]) => showSchema(shell, pattern),
  separator: ({ settings }, [column, row]) => {
    if (column === undefined) throw new Error('Usage: .separator COL ?ROW?');
    settings.columnSeparator = column;
    settings.rowSeparator = row ?? settings.rowSeparator;
  },
  tables: async (shell, [pattern]) => {
    const database = await shell.database();
    const names = database.query(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name LIKE ? ORDER BY 1",
      [pattern ?? '%'],
    );
    shell.write(namesInColumns(names.map(([name]) => textOfValue(name ?? null))));
  },
  timeout: () => {},
  width: ({ settings }, args) => {
    settings.widths = args.map((width) => Math.trunc(Number(width)) || 0);
  },
};

/** Runs a line that begins with a dot. @throws Error whose message is what sqlite3 says */
export async function runDotCommand(shell: SqliteShell, line: string): Promise<void> {
  const [name = '', ...args] = wordsOf(line.slice(1));
  const found = Object.keys(commands)
    .sort()
    .find((command) => command === name || (name.length > 1 && command.startsWith(name)));
  const command = found === undefined ? undefined : commands[found];
  if (command === undefined) {
    throw new Error(`Error: unknown command or invalid arguments:  "${name}". Enter ".help" for help`);
  }
  await command(shell, args);
}

async function redirect(shell: SqliteShell, file: string | undefined, isOnce: boolean): Promise<void> {
  if (file?.startsWith('|')) throw new Error('Error: pipes are not there in this sqlite3');
  await shell.redirect(file === 'stdout' ? undefined : file, isOnce);
}

async function save(shell: SqliteShell, args: readonly string[]): Promise<void> {
  const file = args.at(-1);
  if (file === undefined) throw new Error('Usage: .save FILE');
  const database = await shell.database();
  await shell.writeFile(file, database.export());
}

function isOn(name: string, [value]: readonly string[]): boolean {
  if (value === undefined) throw new Error(`Usage: .${name} on|off`);
  return /^(?:on|yes|true|[1-9]\d*)$/i.test(value);
}

/** Words between blanks; in double quotes with backslashes, in single quotes as they are. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s]+/g)) {
    if (word.startsWith("'")) words.push(word.replace(/^'|'$/g, ''));
    else if (word.startsWith('"')) words.push(unescaped(word.replace(/^"|"$/g, '')));
    else words.push(unescaped(word));
  }
  return words;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', f: '\f', v: '\v' };

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|.)/g, (_, found: string) =>
    /^[0-7]/.test(found) ? String.fromCharCode(Number.parseInt(found, 8)) : (escapes[found] ?? found),
  );
}
