import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ByteString } from '../../../tree/content/byte-string.ts';

/** A process that can still write to a file. */
export interface Writer {
  readonly pid: number;
  /** As the kernel names it. */
  readonly name: string;
}

/** A file itself, whatever it is called. */
export type FileKey = string;

export function fileKey({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): FileKey {
  return `${dev}:${ino}`;
}

/** A file, and one of its names. */
export interface NamedFile {
  readonly key: FileKey;
  readonly name: ByteString;
}

/**
 * Which of some files a process has open for writing, or mapped so: what it writes later is lost if the file has no name any more. Only
 * Linux tells, of the processes that this user may look at; elsewhere nothing is found.
 */
export function findWriters(
  files: readonly NamedFile[],
  processes: () => readonly number[] = allProcesses,
): Map<FileKey, Writer> {
  const found = new Map<FileKey, Writer>();
  if (files.length === 0 || process.platform !== 'linux') return found;
  const keys = new Set(files.map(({ key }) => key));
  // A file has a mapping by the name that it was opened by, in which the kernel shows a newline as a number.
  const mapped = new Map(
    files.map(({ key, name }) => [`${key.split(':')[1]} ${name.replaceAll('\n', '\\012')}`, key]),
  );
  for (const pid of processes()) {
    for (const key of [...openFor(pid), ...mappedIn(pid, mapped)])
      if (keys.has(key) && !found.has(key)) found.set(key, { pid, name: nameOf(pid) });
  }
  return found;
}

function allProcesses(): number[] {
  return list('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid));
}

/** What its descriptors can write to. */
function openFor(pid: number): FileKey[] {
  const folder = `/proc/${pid}/fd`;
  return list(folder).flatMap((fd) => {
    try {
      // The link has the rights of the descriptor.
      const isWritable = (lstatSync(`${folder}/${fd}`).mode & 0o200) !== 0;
      const stat = isWritable ? statSync(`${folder}/${fd}`, { bigint: true }) : undefined;
      return stat?.isFile() ? [fileKey(stat)] : [];
    } catch {
      return []; // It is closed by now.
    }
  });
}

/** Its shared mappings, by number and name: the device there is another than that of the file on btrfs and overlays. */
function mappedIn(pid: number, files: ReadonlyMap<string, FileKey>): FileKey[] {
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, 'latin1');
    if (!/ .w.s /.test(maps)) return [];
    return maps.split('\n').flatMap((line) => {
      const [, ino, path] = /^\S+ .w.s \S+ \S+ ([1-9]\d*) +(.*)$/.exec(line) ?? [];
      const key = path === undefined ? undefined : files.get(`${ino} ${basename(path)}`);
      return key === undefined ? [] : [key];
    });
  } catch {
    return []; // It has ended, or is somebody else's.
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'ended';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
