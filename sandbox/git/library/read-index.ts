import { limits } from '../../../protocol/limits.ts';
import type { GitFileStat } from './git-files.ts';
import { indexFormat } from './index-format.ts';
import type { Repository } from './repository.ts';

/** A file that the index has (gitformat-index), and what it was like when it was staged. */
export interface IndexEntry {
  readonly path: string;
  readonly oid: string;
  readonly mode: number;
  readonly isSame: (stat: GitFileStat) => boolean;
}

const { signature, headerBytes, fixedBytes, checksumBytes, extended, wrap } = indexFormat;
const idBytes = 20;
const assumeValid = 0x8000;
const stages = 0x3000;

/**
 * The entries of the index; none where there is no index. `undefined` where it is of a kind that the library knows better:
 * with conflicts, entries that are marked, or names that are not UTF-8.
 */
export async function readIndex({ at }: Repository): Promise<readonly IndexEntry[] | undefined> {
  const path = `${at.dir}/.git/index`;
  const content = await at.fs.promises.readFile(path).catch((error) => {
    if (error.code === 'ENOENT') return new Uint8Array(0);
    throw error;
  });
  if (typeof content === 'string') return undefined;
  return content.length === 0 ? [] : parseIndex(content);
}

function parseIndex(content: Uint8Array): IndexEntry[] | undefined {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length < headerBytes + checksumBytes || view.getUint32(0) !== signature) return undefined;
  if (view.getUint32(4) !== 2) return undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const entries: IndexEntry[] = [];
  let at = headerBytes;
  for (let count = view.getUint32(8); count > 0; count--) {
    const end = content.indexOf(0, at + fixedBytes);
    if (end < 0 || end > content.length - checksumBytes || end - at > fixedBytes + limits.gitPathBytes)
      return undefined;
    if ((view.getUint16(at + fixedBytes - 2) & (assumeValid | extended | stages)) !== 0) return undefined;
    try {
      const path = decoder.decode(content.subarray(at + fixedBytes, end));
      // What the library puts in the place of what it cannot decode.
      if (path.includes('\ufffd')) return undefined;
      entries.push(entryAt(view, { at, path }));
    } catch {
      return undefined;
    }
    // An entry ends with one to eight zeros, so that the next one begins at a multiple of eight after this one.
    at += (end - at + 8) & ~7;
  }
  return entries;
}

export function entryAt(
  view: DataView,
  { at, path }: { readonly at: number; readonly path: string },
): IndexEntry {
  const [ctime, ctimeRest, mtime, mtimeRest, , ino, mode = 0, uid, gid, size] = Array.from(
    { length: 10 },
    (_, field) => view.getUint32(at + 4 * field),
  );
  const oid = Array.from({ length: idBytes }, (_, byte) =>
    view
      .getUint8(at + 40 + byte)
      .toString(16)
      .padStart(2, '0'),
  ).join('');
  const isSame = (stat: GitFileStat) =>
    size === stat.size % wrap &&
    areTime([mtime, mtimeRest], stat.mtimeMs) &&
    areTime([ctime, ctimeRest], stat.ctimeMs) &&
    ino === stat.ino % wrap &&
    uid === stat.uid % wrap &&
    gid === stat.gid % wrap &&
    mode === modeOf(stat);
  return { path, oid, mode, isSame };
}

/** As the library has written it there: to the same precision. */
function areTime([seconds, rest]: readonly (number | undefined)[], ms: number): boolean {
  const whole = Math.floor(ms / 1_000);
  return seconds === whole % wrap && rest === Math.floor((ms - whole * 1_000) * 1_000_000) % wrap;
}

/** As git has it: files differ by whether they are executed. */
function modeOf(stat: GitFileStat): number {
  if (stat.isSymbolicLink()) return 0o120000;
  return stat.mode & 0o111 ? 0o100755 : 0o100644;
}
