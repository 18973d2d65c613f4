import startSqlite, { type Database as SqlDatabase, type SqlJsStatic, type Statement } from 'sql.js';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { ProgramContext } from '../program-context.ts';
import type { SqlValue } from './format-value.ts';
import type { Rows } from './show-rows.ts';

/** SQLite refuses something. `isStep` where a statement that was understood failed. */
export class SqlError extends Error {
  readonly isStep: boolean;
  readonly code: number;

  constructor(message: string, isStep: boolean) {
    super(message);
    this.isStep = isStep;
    this.code = codeOf(message);
  }
}

const notADatabase = 26;
const none = new Uint8Array(0);

/**
 * A database that is read whole and written back whole, when it is saved, if it differs. Another program's changes of the file
 * in between are not overwritten: the save fails.
 */
export class Database {
  readonly #context: ProgramContext;
  readonly #sqlite: SqlJsStatic;
  readonly #path: ShellText | undefined;
  readonly #isReadOnly: boolean;
  #before: Uint8Array | null;
  #database: SqlDatabase;
  /** Whether the file is no database: it stays as it is. */
  #isForeign = false;

  private constructor(
    context: ProgramContext,
    {
      sqlite,
      path,
      isReadOnly,
      before,
    }: { sqlite: SqlJsStatic; path: ShellText | undefined; isReadOnly: boolean; before: Uint8Array | null },
  ) {
    this.#context = context;
    this.#sqlite = sqlite;
    this.#path = path;
    this.#isReadOnly = isReadOnly;
    this.#before = before;
    this.#database = this.#open(before);
  }

  /** `path` is absolute; without one it is in memory. @throws ShellError, SqlError of a file that cannot be used */
  static async open(
    context: ProgramContext,
    { sqlite, path, isReadOnly }: { sqlite: SqlJsStatic; path: ShellText | undefined; isReadOnly: boolean },
  ): Promise<Database> {
    let before: Uint8Array | null = null;
    if (path !== undefined) {
      before = isReadOnly ? await context.readFile(path) : await readIfThere(context, path);
      if (before === null) {
        await context.change({ type: 'replace', path, bytes: none, before });
        before = none;
      }
      for (const beside of [`${path}-wal`, `${path}-journal`]) {
        if (!(await readIfThere(context, beside))?.length) continue;
        throw new SqlError(`${beside} holds changes that this sqlite3 cannot apply: use a machine`, false);
      }
    }
    return new Database(context, { sqlite, path, isReadOnly, before });
  }

  /** Runs one statement of the text after the other. `onRows` is given those that have columns. @throws SqlError */
  run(sql: string, onRows: (rows: Rows) => void): void {
    const statements = this.#database.iterateStatements(sql);
    for (;;) {
      const next = refusedAs(false, () => statements.next(), this.#onRefusal);
      if (next.done) return;
      assertServed(next.value.getSQL());
      this.#runStatement(next.value, onRows);
    }
  }

  /** All rows of a query of ours. */
  query(sql: string, parameters: readonly string[] = []): readonly (readonly SqlValue[])[] {
    const statement = this.#database.prepare(sql, [...parameters]);
    try {
      return [...rowsOf(statement)];
    } finally {
      statement.free();
    }
  }

  /** Runs a statement once for each row of values. */
  insert(sql: string, rows: readonly (readonly (string | null)[])[]): void {
    const statement = refusedAs(false, () => this.#database.prepare(sql));
    try {
      for (const row of rows) refusedAs(true, () => statement.run([...row]));
    } finally {
      statement.free();
    }
  }

  get changes(): number {
    return this.#database.getRowsModified();
  }

  /** What a file of it would be. Ends a transaction that is open. */
  export(): Uint8Array {
    if (this.#isInTransaction()) this.#database.run('ROLLBACK');
    return this.#database.export();
  }

  /** @throws ShellError EBUSY where another program has changed the file */
  async close(): Promise<void> {
    try {
      if (this.#path === undefined || this.#isReadOnly) return;
      if (this.#isForeign) return;
      const bytes = this.export();
      if (isEqual(bytes, this.#before ?? none)) return;
      await this.#context.change({
        type: 'replace',
        path: this.#path,
        bytes,
        before: this.#before,
      });
      this.#before = bytes;
    } finally {
      this.#database.close();
    }
  }

  /** The library does not tell: a transaction within another one is refused. */
  #isInTransaction(): boolean {
    try {
      this.#database.run('BEGIN; ROLLBACK');
      return false;
    } catch {
      return true;
    }
  }

  readonly #onRefusal = ({ code }: SqlError): void => {
    this.#isForeign ||= code === notADatabase;
  };

  #open(bytes: Uint8Array | null): SqlDatabase {
    const database = new this.#sqlite.Database(bytes?.length ? bytes : undefined);
    if (this.#isReadOnly) database.run('PRAGMA query_only = ON');
    return database;
  }

  #runStatement(statement: Statement, onRows: (rows: Rows) => void): void {
    const columns = statement.getColumnNames();
    if (columns.length > 0) onRows({ columns, values: rowsOf(statement) });
    else for (const _ of rowsOf(statement));
  }
}

/** Loads SQLite, compiled from `wasmBinary`. */
export function loadSqlite(wasmBinary: ArrayBuffer): Promise<SqlJsStatic> {
  return startSqlite({ wasmBinary });
}

function* rowsOf(statement: Statement): Generator<readonly SqlValue[]> {
  while (refusedAs(true, () => statement.step())) yield valuesOf(statement);
}

/** The declarations of `@types/sql.js` lack `useBigInt`, with which an integer is a `bigint`. */
interface ExactStatement {
  get(parameters: null, options: { useBigInt: true }): SqlValue[];
}

function valuesOf(statement: Statement): readonly SqlValue[] {
  const exact: ExactStatement = statement as unknown as ExactStatement;
  return exact.get(null, { useBigInt: true });
}

/** What would work on a file of the library's own, which is gone afterwards, is refused. */
function assertServed(sql: string): void {
  const [, statement] =
    /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(ATTACH\b|VACUUM\b[\s\S]*\bINTO\b)/i.exec(sql) ?? [];
  if (statement === undefined || /^ATTACH\s+(?:DATABASE\s+)?(?:''|':memory:')/i.test(sql.trim())) return;
  const name = statement.slice(0, 6).toUpperCase() === 'ATTACH' ? 'ATTACH of a file' : 'VACUUM INTO';
  throw new SqlError(`${name} is not there in this sqlite3: use a machine`, false);
}

function refusedAs<T>(isStep: boolean, action: () => T, onRefusal?: (error: SqlError) => void): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError) throw error;
    const refusal = new SqlError(error instanceof Error ? error.message : String(error), isStep);
    onRefusal?.(refusal);
    throw refusal;
  }
}

async function readIfThere(context: ProgramContext, path: ShellText): Promise<Uint8Array | null> {
  try {
    return await context.readFile(path);
  } catch (error) {
    if (error instanceof ShellError && error.code === 'ENOENT') return null;
    throw error;
  }
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** SQLite's number of an error, by its words, as the library does not tell it. */
function codeOf(message: string): number {
  if (/constraint failed/.test(message)) return 19;
  if (/readonly database/.test(message)) return 8;
  if (/not a database/.test(message)) return notADatabase;
  if (/malformed/.test(message)) return 11;
  if (/datatype mismatch/.test(message)) return 20;
  return 1;
}
