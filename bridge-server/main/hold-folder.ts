import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { translated } from '../stores/disk-error.ts';
import { takeWriterLock } from '../stores/writer-lock.ts';

/** The right to use a folder with all its sandboxes, which one process of this host has at a time. */
export interface FolderHold extends Disposable {
  readonly folder: string;
  /** Notes where this process can be reached, for those that are refused the folder meanwhile. */
  listensAt(url: string): void;
}

/** The process that holds a folder, as it says. */
interface FolderHolder {
  /** In its own namespace of processes. */
  readonly pid: number;
  /** Of a bridge. */
  readonly url?: string;
}

/** Locks of this process: one that is collected as garbage would be let go of. */
const held = new Set<() => void>();

/**
 * Makes the folder where there is none, and holds it until disposal or the end of this process, however that ends.
 * @throws busy at once when another process holds it, with its `pid` and `url`, as far as they are known, in
 * `details`; read-only, storage-full
 */
export function holdFolder(folder: string): FolderHold {
  const release = translated(`use ${folder}`, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return takeWriterLock(folder);
  });
  if (!release) throw inUse(folder);
  held.add(release);
  const holder: FolderHolder = { pid: process.pid };
  writeHolder(folder, holder);
  return {
    folder,
    listensAt: (url) => writeHolder(folder, { ...holder, url }),
    [Symbol.dispose]: () => {
      if (!held.delete(release)) return;
      // Before the next holder can write its own.
      rmSync(holderPath(folder), { force: true });
      release();
    },
  };
}

/** Whether `holdFolder` would succeed; leaves nothing behind. @throws busy as `holdFolder` does */
export function assertFolderIsFree(folder: string): void {
  // What has never been held has no lock, and taking it would make one.
  if (!existsSync(join(folder, 'lock'))) return;
  const release = takeWriterLock(folder);
  if (!release) throw inUse(folder);
  release();
}

function inUse(folder: string): SandboxError {
  const { pid, url } = readHolder(folder) ?? {};
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  const where = url === undefined ? '' : `, a bridge that listens at ${url}`;
  const details = { folder, ...(pid === undefined ? {} : { pid }), ...(url === undefined ? {} : { url }) };
  return new SandboxError('busy', `Cannot use ${folder}: ${who} holds it${where}`, { details });
}

/** A note beside the lock, which may be opened by nothing but SQLite. A process that was killed leaves it behind. */
function holderPath(folder: string): string {
  return join(folder, 'holder.json');
}

/** In one step, so that no half of it is read. What holds is the lock: a disk without room for the note does no harm. */
function writeHolder(folder: string, holder: FolderHolder): void {
  const path = holderPath(folder);
  const unfinished = `${path}.new`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch {
    // That of an earlier holder would name another process.
    rmSync(path, { force: true });
  }
}

function readHolder(folder: string): FolderHolder | undefined {
  try {
    const { pid, url } = Object(JSON.parse(readFileSync(holderPath(folder), 'utf8')));
    if (!Number.isSafeInteger(pid)) return undefined;
    return { pid, ...(typeof url === 'string' ? { url } : {}) };
  } catch {
    return undefined;
  }
}
