import { chmodSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { diskError } from './disk-error.ts';

/** SQLite's result code SQLITE_IOERR. */
const ioError = 10;
/** Bytes of a database's first -wal and -shm file, with some to spare. */
const leastRoom = 256 * 1024;

interface OpenDatabaseOptions {
  readonly migrations: readonly string[];
  /** Whether nothing will be written to it. */
  readonly isToRead?: boolean;
}

/**
 * Opens the SQLite database at `path`, which it makes together with its folder, for this user only.
 * What a transaction has committed is durable. The caller closes it. Nothing may open the file by
 * other means than SQLite: POSIX lets go of the process's locks with any descriptor of it. With `isToRead` a full disk is no
 * reason not to open it: it is read as it was last closed then.
 * @throws corrupt-object when it is damaged, with what to do; storage-full; version-mismatch when a newer program wrote it
 */
export function openDatabase(
  path: string,
  { isToRead = false, ...options }: OpenDatabaseOptions,
): DatabaseSync {
  const database = connect(path);
  try {
    // WAL first: it is kept in the file, and the -wal file takes over the mode of this one.
    chmodSync(path, 0o600);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF');
    assertIntact(database);
    migrate(database, { path, ...options });
    return database;
  } catch (error) {
    database.close();
    const isFull = isOutOfRoom(path, error);
    const unchanged = isFull && isToRead ? openUnchanged(path, options) : undefined;
    if (unchanged) return unchanged;
    const translated = isFull ? full(path, error) : diskError(`open "${path}"`, error);
    throw translated.code === 'corrupt-object' ? damaged(path, error) : translated;
  }
}

/** Runs `work` in one transaction that excludes other writers from its start: all of it counts, or nothing. */
export function inTransaction<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function connect(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new DatabaseSync(path, { timeout: limits.registryBusyTimeoutMs });
  } catch (error) {
    throw diskError(`open "${path}"`, error);
  }
}

function assertIntact(database: DatabaseSync): void {
  const [row] = database.prepare('PRAGMA integrity_check(1)').all();
  const found = String(row?.integrity_check);
  if (found !== 'ok') throw new SandboxError('corrupt-object', found);
}

/** SQLite says no more than that an input or output failed where the disk has no room for the files beside its own. */
function isOutOfRoom(path: string, error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === ioError))
    return false;
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < leastRoom;
}

/** Without a file beside it, so nobody may have written what is in none but that (https://sqlite.org/uri.html, "immutable"). */
function openUnchanged(
  path: string,
  { migrations }: Pick<OpenDatabaseOptions, 'migrations'>,
): DatabaseSync | undefined {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  if (Number(database.prepare('PRAGMA user_version').get()?.user_version) === migrations.length)
    return database;
  database.close();
  return undefined;
}

function full(path: string, cause: unknown): SandboxError {
  return new SandboxError('storage-full', `Cannot open "${path}": the disk is full. Make room on it`, {
    cause,
  });
}

function damaged(path: string, cause: unknown): SandboxError {
  const found = cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ') : '';
  return new SandboxError(
    'corrupt-object',
    `Cannot open "${path}": it is damaged (${found}). The sandboxes themselves are in folders of their own and are not affected. Stop the bridge, move the file with its -wal and -shm away, and have \`sqlite3 <moved> .recover | sqlite3 ${path}\` write what can still be read into a new one.`,
    { cause, details: { path } },
  );
}

function migrate(
  database: DatabaseSync,
  { path, migrations }: { readonly path: string; readonly migrations: readonly string[] },
): void {
  inTransaction(database, () => {
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (version > migrations.length) {
      throw new SandboxError(
        'version-mismatch',
        `Cannot open "${path}": it has version ${version}, and this program knows up to ${migrations.length}. Use the newer program that wrote it.`,
        { details: { version } },
      );
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}
