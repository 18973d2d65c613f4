import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { diskError } from './disk-error.ts';

const fileName = 'lock';

/** Makes the lock of a new folder, which nobody can hold yet. @throws what Node's file system throws */
export function makeWriterLock(folder: string): void {
  closeSync(openSync(join(folder, fileName), 'wx', 0o600));
}

/**
 * Takes the right to write to what is in `folder`, one holder on this host; answers how to give it
 * back, which has to be referenced as long, or `undefined` when another holds it.
 *
 * The lock is SQLite's on an empty database, since Node has no `flock`: the kernel frees it with
 * the process that dies, so none is ever stale, and it keeps processes apart that do not see each
 * other's pids. The file stays; nothing may open it by other means, because POSIX lets go of a
 * process's locks on a file when it closes any descriptor of it.
 * @throws what SQLite throws when the folder is absent or not to be written
 */
export function takeWriterLock(folder: string): (() => void) | undefined {
  const path = join(folder, fileName);
  // Absent where a crash came between the folder and the lock.
  if (inodeOf(path) === undefined) new DatabaseSync(path).close();
  const inode = inodeOf(path);
  const database = new DatabaseSync(path);
  // A folder that was deleted and made again meanwhile has another lock than the one that is held.
  if (tryLock(database) && inode !== undefined && inode === inodeOf(path)) {
    return () => {
      if (database.isOpen) database.close();
    };
  }
  database.close();
  return undefined;
}

function tryLock(database: DatabaseSync): boolean {
  try {
    // In memory, or a process that is killed would leave a journal file, of nothing, behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (diskError('lock', error).code === 'busy') return false;
    database.close();
    throw error;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
