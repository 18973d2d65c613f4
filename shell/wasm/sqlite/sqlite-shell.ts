import type { SqlJsStatic } from 'sql.js';
import { absolutePath } from '../../files/absolute-path.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText, type ShellText } from '../../text.ts';
import type { ProgramContext } from '../program-context.ts';
import { Database, SqlError } from './database.ts';
import { isCompleteSql, isEmptySql } from './is-complete.ts';
import { defaultRowSettings, type RowSettings } from './output-mode.ts';
import { showRows } from './show-rows.ts';

/** Ends the program. */
export class SqliteExit {
  readonly exitCode: number;

  constructor(exitCode: number) {
    this.exitCode = exitCode;
  }
}

/** Runs a line that begins with a dot. @throws Error whose message is what sqlite3 says */
export type DotCommandRunner = (shell: SqliteShell, line: string) => Promise<void>;

/** The command line of sqlite3: its settings, its database, and where its output goes. */
export class SqliteShell {
  readonly settings: RowSettings = defaultRowSettings();
  isBailing = false;
  isEchoing = false;
  showsChanges = false;
  isReadOnly = false;
  readonly #context: ProgramContext;
  readonly #sqlite: SqlJsStatic;
  readonly #dotCommand: DotCommandRunner;
  #path: ShellText | undefined;
  #database: Database | undefined;
  #output: OutputFile | undefined;

  constructor(
    context: ProgramContext,
    {
      sqlite,
      file,
      dotCommand,
    }: {
      readonly sqlite: SqlJsStatic;
      readonly file: ShellText | undefined;
      readonly dotCommand: DotCommandRunner;
    },
  ) {
    this.#context = context;
    this.#sqlite = sqlite;
    this.#dotCommand = dotCommand;
    this.#path = file;
  }

  get path(): ShellText | undefined {
    return this.#path;
  }

  /** Opened when it is first needed. @throws ShellError, SqlError */
  async database(): Promise<Database> {
    const path = this.#path === undefined ? undefined : this.absolute(this.#path);
    this.#database ??= await Database.open(this.#context, {
      sqlite: this.#sqlite,
      path,
      isReadOnly: this.isReadOnly,
    });
    return this.#database;
  }

  async openOther(file: ShellText | undefined): Promise<void> {
    await this.#closeDatabase();
    this.#path = file;
  }

  write(text: string): void {
    if (this.#output) this.#output.pieces.push(text);
    else this.#context.write(1, text);
  }

  warn(text: string): void {
    this.#context.write(2, text);
  }

  absolute(path: ShellText): ShellText {
    return absolutePath(this.#context.start.cwd, path);
  }

  async readText(path: ShellText): Promise<ShellText> {
    return decodeText(await this.#context.readFile(this.absolute(path)));
  }

  async writeFile(path: ShellText, bytes: Uint8Array): Promise<void> {
    await this.#context.change({ type: 'write', path: this.absolute(path), bytes });
  }

  /** Sends what is shown into a file, until the next, or for one command. */
  async redirect(file: ShellText | undefined, isOnce = false): Promise<void> {
    await this.#closeOutput();
    if (file === undefined) return;
    await this.writeFile(file, new Uint8Array(0));
    this.#output = { file, isOnce, pieces: [] };
  }

  /** Runs a text of lines, as of standard input. Answers whether something failed. */
  async runLines(text: ShellText): Promise<boolean> {
    let failed = false;
    let pending = '';
    let startLine = 0;
    for (const [index, line] of text.split('\n').entries()) {
      const isEnd = pending === '' && (line === '' || isEmptySql(line));
      if (isEnd) continue;
      const isFinished = pending === '' ? line.startsWith('.') : false;
      if (pending === '') startLine = index + 1;
      if (isFinished) failed = !(await this.#attempt(line, {})) || failed;
      else {
        pending += `${line}\n`;
        if (!isCompleteSql(pending)) continue;
        failed = !(await this.#attempt(pending, { line: startLine })) || failed;
        pending = '';
      }
      if (failed && this.isBailing) return failed;
    }
    if (pending !== '' && !isEmptySql(pending)) {
      failed = !(await this.#attempt(pending, { line: startLine })) || failed;
    }
    return failed;
  }

  /** Runs an argument of the command line. @throws SqliteExit where it fails */
  async runArgument(text: ShellText): Promise<void> {
    if (!(await this.#attempt(text, { isArgument: true }))) throw new SqliteExit(this.#exitCode);
  }

  /** Writes what is left. @throws ShellError */
  async end(): Promise<void> {
    await this.#closeOutput();
    await this.#closeDatabase();
  }

  #exitCode = 1;

  /** One statement or more, or a dot command. Whether it went well; what went wrong is told. */
  async #attempt(text: ShellText, at: { line?: number; isArgument?: boolean }): Promise<boolean> {
    if (this.isEchoing) this.write(text.endsWith('\n') ? text : `${text}\n`);
    try {
      if (text.startsWith('.')) {
        await this.#dotCommand(this, text.trim());
        return true;
      }
      await this.#runSql(text);
      if (this.showsChanges && !at.isArgument) await this.#showChanges();
      return true;
    } catch (error) {
      if (error instanceof SqliteExit || error instanceof RangeError) throw error;
      this.#tell(error, at);
      return false;
    } finally {
      if (this.#output?.isOnce && !at.isArgument && !text.startsWith('.')) await this.#closeOutput();
    }
  }

  async #runSql(sql: string): Promise<void> {
    const database = await this.database();
    database.run(sql, (rows) => {
      let held: string[] = [];
      let length = 0;
      const flush = () => {
        this.write(held.join(''));
        held = [];
        length = 0;
      };
      try {
        showRows(rows, this.settings, (text) => {
          held.push(text);
          length += text.length;
          if (length > heldCharacters) flush();
        });
      } finally {
        if (length > 0) flush();
      }
    });
  }

  async #showChanges(): Promise<void> {
    const { changes } = await this.database();
    this.write(`changes: ${String(changes).padStart(3)}\n`);
  }

  #tell(error: unknown, { line, isArgument }: { line?: number; isArgument?: boolean }): void {
    if (error instanceof SqlError) {
      const code = error.code === 1 ? '' : ` (${error.code})`;
      const kind = isArgument
        ? `Error: ${error.isStep ? 'stepping' : 'in prepare'}`
        : `${error.isStep ? 'Runtime' : 'Parse'} error near line ${line}:`;
      this.warn(`${kind}${isArgument ? ',' : ''} ${error.message}${code}\n`);
      this.#exitCode = error.code;
      return;
    }
    this.#exitCode = 1;
    if (error instanceof ShellError) {
      this.warn(`Error: unable to open database "${this.#path}": unable to open database file\n`);
    } else this.warn(`${error instanceof Error ? error.message : String(error)}\n`);
  }

  async #closeOutput(): Promise<void> {
    const output = this.#output;
    this.#output = undefined;
    if (output) await this.writeFile(output.file, encodeText(output.pieces.join('')));
  }

  async #closeDatabase(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    await database?.close();
  }
}

interface OutputFile {
  readonly file: ShellText;
  readonly isOnce: boolean;
  readonly pieces: string[];
}

const heldCharacters = 65_536;
