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
  /** The same of a Unix socket in the folder, through which programs of the same user reach its sandboxes. */
  answersAt(socket: string): void;
}

/** The process that holds a folder, as it says. */
interface FolderHolder {
  /** In its own namespace of processes. */
  readonly pid: number;
  /** Of a bridge. */
  readonly url?: string;
  /** Of whoever serves the folder to programs of its user. */
  readonly socket?: string;
}

/** Locks of this process: one that is collected as garbage would be let go of. */
const held = new Set<() => void>();

/**
 * Makes the folder where there is none, and holds it until disposal or the end of this process, however that ends.
 * @throws busy at once when another process holds it, with its `pid`, `url` and `socket`, as far as they
 * are known, in `details`; read-only, storage-full
 */
export function holdFolder(folder: string): FolderHold {
  const release = translated(`use ${folder}`, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return takeWriterLock(folder);
  });
  if (!release) throw inUse(folder);
  held.add(release);
  let holder: FolderHolder = { pid: process.pid };
  const note = (more: Partial<FolderHolder>): void => {
    holder = { ...holder, ...more };
    writeHolder(folder, holder);
  };
  note({});
  return {
    folder,
    listensAt: (url) => note({ url }),
    answersAt: (socket) => note({ socket }),
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
  const holder = readHolder(folder);
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new SandboxError('busy', `Cannot use ${folder}: ${who} holds it${whereReached(holder)}`, {
    details: { folder, ...holder },
  });
}

function whereReached({ url, socket }: Partial<FolderHolder> = {}): string {
  if (url !== undefined) return `, a bridge that listens at ${url}`;
  return socket === undefined ? '' : `, and answers at ${socket}`;
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
    const { pid, url, socket } = Object(JSON.parse(readFileSync(holderPath(folder), 'utf8')));
    if (!Number.isSafeInteger(pid)) return undefined;
    return {
      pid,
      ...(typeof url === 'string' ? { url } : {}),
      ...(typeof socket === 'string' ? { socket } : {}),
    };
  } catch {
    return undefined;
  }
}
