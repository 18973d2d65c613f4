import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from './disk.ts';
import { makeWriterLock } from './writer-lock.ts';

/** No id of a sandbox has a dot in it. */
const removedPrefix = 'removed.';

/**
 * Makes the folder `path` in `folder`, which is made too, for this user only, with its lock; durable
 * when it returns, and gone when it throws.
 * @throws EEXIST when it is there, and what else Node's file system throws
 */
export function makeFolder(folder: string, path: string): void {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (isNew) syncFolder(dirname(folder));
  mkdirSync(path, { mode: 0o700 });
  try {
    makeWriterLock(path);
    syncFolder(folder);
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
}

/**
 * Puts the folder `path` in `folder` out of the way, by one durable renaming: none is ever found with
 * half of its files. `clearRemoved` gives the room back.
 */
export function removeFolder(folder: string, path: string): void {
  renameSync(path, join(folder, `${removedPrefix}${basename(path)}.${randomUUID()}`));
  syncFolder(folder);
}

/** The ids of what was removed from `folder`, and is not deleted yet. */
export function removedIds(folder: string): string[] {
  const removed = readdirSync(folder).filter((name) => name.startsWith(removedPrefix));
  return removed.map((name) => name.slice(removedPrefix.length, name.lastIndexOf('.')));
}

/** Deletes what was removed from `folder`, and what a crash has left of it earlier. */
export function clearRemoved(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(removedPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
