import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { isErrno } from '../../stores/disk-error.ts';
import { parentOf } from './aside.ts';
import { hostPath } from './folder-entry.ts';
import { folderLimits } from './limits.ts';
import type { OpenFolder } from './open-folder.ts';
import { settleAll } from './settle-files.ts';

/**
 * Writes to disk what is at some paths of a folder, with their names: a few one by one, as the file system may have much to write that is
 * others', many with all of it. @throws as the disk fails
 */
export async function flushWritten(folder: OpenFolder, paths: readonly ByteString[]): Promise<void> {
  if (paths.length > folderLimits.flushedAlone) {
    await settleAll(folder, folderLimits.flushMs);
    return;
  }
  for (const path of [...paths, ...new Set(paths.map(parentOf))]) {
    if (path === '') sync(folder.file);
    else flush(folder, path);
  }
}

function flush(folder: OpenFolder, path: ByteString): void {
  const at = folder.at(path);
  if (at === undefined) return;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: number;
  try {
    file = openSync(hostPath(at), flags);
  } catch {
    return; // A link, a file that its owner may not read, or gone: its directory is written.
  }
  try {
    sync(file);
  } finally {
    closeSync(file);
  }
}

function sync(file: number): void {
  try {
    fsyncSync(file);
  } catch (error) {
    // Of a file system that has no disk.
    if (!isErrno(error, 'EINVAL')) throw error;
  }
}
