import { ShellError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import type { ProgramContext } from '../program-context.ts';
import { loadSqlite, SqlError } from './database.ts';
import { runDotCommand } from './dot-commands.ts';
import { isOutputMode, setMode } from './output-mode.ts';
import { SqliteExit, SqliteShell } from './sqlite-shell.ts';

/** What the command line says. */
interface CommandLine {
  readonly file: ShellText | undefined;
  readonly commands: readonly ShellText[];
  /** To be run before anything else. */
  readonly first: readonly ShellText[];
  readonly init: ShellText | undefined;
  readonly apply: readonly ((shell: SqliteShell) => void)[];
  readonly shows: 'help' | 'version' | undefined;
}

const usage = `Usage: sqlite3 [OPTIONS] FILENAME [SQL]
FILENAME is the name of an SQLite database. A new database is created
if the file does not previously exist.
OPTIONS include:
   -ascii -box -column -csv -html -json -line -list -markdown -quote -table -tabs
                        set output mode
   -bail                stop after hitting an error
   -batch               (ignored: it is never interactive)
   -cmd COMMAND         run "COMMAND" before reading stdin
   -echo                print inputs before execution
   -[no]header          turn headers on or off
   -init FILENAME       read/process named file
   -newline SEP         set output row separator
   -nullvalue TEXT      set text string for NULL values
   -readonly            open the database read-only
   -separator SEP       set output column separator
   -version             show SQLite version
`;

/** sqlite3's command line over the library, which has none. A database is written back when the program ends. */
export async function runSqlite(context: ProgramContext, wasm: ArrayBuffer): Promise<number> {
  const line = parseCommandLine(context.start.args);
  if (typeof line === 'string') {
    context.write(2, `sqlite3: Error: ${line}\nUse -help for a list of options.\n`);
    return 1;
  }
  if (line.shows === 'help') {
    context.write(1, usage);
    return 0;
  }
  const shell = new SqliteShell(context, {
    sqlite: await loadSqlite(wasm),
    file: line.file,
    dotCommand: runDotCommand,
  });
  if (line.shows === 'version') {
    const [[version] = []] = (await shell.database()).query(
      "SELECT sqlite_version() || ' ' || sqlite_source_id()",
    );
    context.write(1, `${version}\n`);
    return 0;
  }
  const exitCode = await runAll(context, { shell, line });
  return (await endShell(shell)) ?? exitCode;
}

async function runAll(
  context: ProgramContext,
  { shell, line }: { shell: SqliteShell; line: CommandLine },
): Promise<number> {
  try {
    for (const apply of line.apply) apply(shell);
    if (line.init !== undefined) await shell.runLines(await shell.readText(line.init));
    for (const command of line.first) await shell.runArgument(command);
    for (const command of line.commands) await shell.runArgument(command);
    if (line.commands.length > 0) return 0;
    if (context.start.isTerminal.stdin) {
      shell.warn(
        'sqlite3: it reads no statements from a terminal here: give them as an argument, or in a pipe\n',
      );
      return 1;
    }
    return (await shell.runLines(decodeText(await context.readStdin()))) ? 1 : 0;
  } catch (error) {
    if (error instanceof SqliteExit) return error.exitCode;
    if (!(error instanceof ShellError)) throw error;
    shell.warn(`Error: ${error.message}\n`);
    return 1;
  }
}

/** An exit code where what was changed could not be written. */
async function endShell(shell: SqliteShell): Promise<number | undefined> {
  try {
    await shell.end();
    return undefined;
  } catch (error) {
    if (error instanceof ShellError && error.code === 'EBUSY') {
      shell.warn(
        'Error: database is locked: another program changed the file meanwhile, nothing was written (5)\n',
      );
      return 5;
    }
    if (error instanceof ShellError) {
      shell.warn(`Error: unable to write database "${shell.path}": ${error.message}\n`);
      return 1;
    }
    if (!(error instanceof SqlError) && !(error instanceof Error)) throw error;
    shell.warn(`Error: ${error.message}\n`);
    return error instanceof SqlError ? error.code : 1;
  }
}

/** @returns what is wrong with it, or what it says */
function parseCommandLine(args: readonly ShellText[]): CommandLine | string {
  const operands: ShellText[] = [];
  const first: ShellText[] = [];
  const apply: ((shell: SqliteShell) => void)[] = [];
  let init: ShellText | undefined;
  let shows: CommandLine['shows'];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (!argument.startsWith('-') || argument === '-') {
      operands.push(argument);
      continue;
    }
    const name = argument.replace(/^--?/, '');
    if (withValue.has(name)) {
      const value = args[++at];
      if (value === undefined) return `missing argument to ${argument}`;
      if (name === 'cmd') first.push(value);
      else if (name === 'init') init = value;
      else apply.push((shell) => applyValue(shell, name, value));
    } else if (name === 'version' || name === 'help') shows = name;
    else if (isOutputMode(name) || name in flags) apply.push((shell) => applyFlag(shell, name));
    else return `unknown option: ${argument}`;
  }
  const [file, ...commands] = operands;
  const isInMemory = file === undefined || file === '' || file === ':memory:';
  return { file: isInMemory ? undefined : file, commands, first, init, apply, shows };
}

const withValue = new Set(['cmd', 'init', 'newline', 'nullvalue', 'separator']);

function applyValue({ settings }: SqliteShell, name: string, value: ShellText): void {
  if (name === 'newline') settings.rowSeparator = value;
  if (name === 'nullvalue') settings.nullText = value;
  if (name === 'separator') settings.columnSeparator = value;
}

const flags: Readonly<Record<string, (shell: SqliteShell) => void>> = {
  bail: (shell) => {
    shell.isBailing = true;
  },
  batch: () => {},
  echo: (shell) => {
    shell.isEchoing = true;
  },
  header: (shell) => setHeaders(shell, true),
  interactive: () => {},
  noheader: (shell) => setHeaders(shell, false),
  readonly: (shell) => {
    shell.isReadOnly = true;
  },
};

function applyFlag(shell: SqliteShell, name: string): void {
  if (isOutputMode(name)) setMode(shell.settings, name, '\n');
  else flags[name]?.(shell);
}

function setHeaders({ settings }: SqliteShell, headers: boolean): void {
  settings.headers = headers;
  settings.areHeadersSet = true;
}
