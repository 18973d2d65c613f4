import { type BigIntStats, constants, lstatSync, openSync, readdirSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import {
  type ByteString,
  readByteString,
  toDisplayText,
  writeByteString,
} from '../../../tree/content/byte-string.ts';
import type { InodeView, Timestamp } from '../../../tree/live/file-tree.ts';
import { diskError } from '../../stores/disk-error.ts';

/** Paths as the host takes them: names are bytes. */
export function hostPath(path: ByteString): Buffer {
  const bytes = Buffer.allocUnsafe(path.length);
  writeByteString(path, bytes, 0);
  return bytes;
}

/** What is at a path itself, no link followed; nothing where there is nothing. Errors name `shown`. @throws forbidden; as the disk fails */
export function statOf(path: ByteString, shown: ByteString = path): BigIntStats | undefined {
  try {
    return lstatSync(hostPath(path), { bigint: true });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw cannot('read', shown, error);
  }
}

/** The names in a directory, sorted; none where it has gone. @throws as `statOf` */
export function namesIn(path: ByteString, shown: ByteString = path): readonly ByteString[] {
  try {
    const names = readdirSync(hostPath(path), { encoding: 'buffer' });
    return names.map((name) => readByteString(name, 0, name.length)).sort();
  } catch (error) {
    if (isGone(error)) return [];
    throw cannot('read', shown, error);
  }
}

/** Opens a file without following a link, or waiting for a pipe, that has taken its place; nothing where it has gone. @throws as `statOf` */
export function openToRead(path: ByteString, shown: ByteString = path): number | undefined {
  try {
    return openSync(hostPath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // A link, or a socket, has taken its place.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (isGone(error) || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw cannot('read', shown, error);
  }
}

/**
 * When a file was changed, as far as it can be set: Node sets times as floating point, so that what is a quarter of a microsecond apart is one. A file that is
 * written from a snapshot has that snapshot's time then.
 */
export function mtimeOf({ mtimeNs }: BigIntStats): Timestamp {
  const second = 1_000_000_000n;
  const exact = Number(((mtimeNs % second) + second) % second);
  const seconds = Number((mtimeNs - BigInt(exact)) / second);
  if (seconds < 0) return { seconds, nanoseconds: exact };
  const set = Number(exactTime({ seconds, nanoseconds: exact }));
  // What is rounded up to the next second stays below it.
  return { seconds, nanoseconds: Math.min(Math.trunc((set - seconds) * 1e9), 999_999_999) };
}

/** A time as Node takes it with its nanoseconds: as text, since a number before 1970 counts as now. The part of a second counts away from 1970. */
export function exactTime({ seconds, nanoseconds }: Timestamp): string {
  const isBefore = seconds < 0 && nanoseconds > 0;
  const whole = isBefore ? seconds + 1 : seconds;
  const part = String(isBefore ? 1_000_000_000 - nanoseconds : nanoseconds).padStart(9, '0');
  return `${isBefore && whole === 0 ? '-' : ''}${whole}.${part}`;
}

/** Whether a time of the disk is one of the tree: Node sets times as floating point, which is off by up to a microsecond. */
export function isSameTime(stat: BigIntStats, inode: InodeView): boolean {
  const { seconds, nanoseconds } = mtimeOf(stat);
  const differenceNs = (seconds - inode.mtimeSeconds) * 1e9 + nanoseconds - inode.mtimeNanoseconds;
  return Math.abs(differenceNs) < 1_000;
}

/** Whether a file on disk has the size and the time that the tree has. */
export function looksSame(stat: BigIntStats, inode: InodeView): boolean {
  return isSameKind(inode, stat) && Number(stat.size) === inode.sizeBytes && isSameTime(stat, inode);
}

/** Whether the history keeps such a thing: sockets, pipes and devices it does not. */
export function isKept(stat: BigIntStats): boolean {
  return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
}

export function isSameKind({ mode }: InodeView, stat: BigIntStats): boolean {
  return Number(stat.mode) >> 12 === mode >> 12;
}

export function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** An error of the host about one path, with what helps. */
export function cannot(what: string, path: ByteString, cause: unknown): SandboxError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // A descriptor's number tells nobody anything.
  const where = toDisplayText(path.replace(/^\/proc\/self\/fd\/\d+\/?/, '').slice(-200));
  if (code === 'EXDEV') {
    const message = `Cannot ${what} ${where}: it is in a subvolume, or under a quota, of its own. Remove that whole, or name it in .coppiceignore to leave it out`;
    return new SandboxError('conflict', message, { cause });
  }
  if (code !== 'EACCES' && code !== 'EPERM') {
    const error = diskError(`${what} ${where}`, cause);
    if (what !== 'write' || error.code !== 'storage-full') return error;
    const message = `${error.message}. Make room on it: until all is done, it has both what comes and what was there`;
    return new SandboxError(error.code, message, { cause, details: error.details });
  }
  const verb = what === 'read' ? 'read' : 'change';
  const message = `Cannot ${what} ${where}: this user may not ${verb} it. Give it the permission, or name it in .coppiceignore to leave it out`;
  return new SandboxError('forbidden', message, { cause });
}
