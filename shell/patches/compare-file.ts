import { sha1 } from '@noble/hashes/legacy.js';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { FilesFacet } from '../../protocol/sandbox/files.ts';
import type { Change } from '../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import { unifiedFormat } from '../programs/compare/format-differences.ts';
import { lineDifferences } from '../programs/compare/line-differences.ts';
import { Steps } from '../programs/streams/steps.ts';
import { decodeText } from '../text.ts';

/** How the content of one file differs. */
export interface FileComparison {
  /** Text line by line, or why there is none to show. `unnamed`: gone meanwhile, or its name is no UTF-8, by which it cannot be asked for. */
  readonly type: 'text' | 'binary' | 'too-large' | 'special' | 'unnamed';
  /** Lines that the newer side has and the older has not, and the other way round. */
  readonly added: number;
  readonly deleted: number;
  /** Hunks in the unified format, each line with its end; a byte that is no UTF-8 is as in `ShellText`. */
  readonly hunks: readonly string[];
  readonly older: FileSide | undefined;
  readonly newer: FileSide | undefined;
}

/** A file, a link or something else at one of the two. */
interface FileSide {
  /** As git writes it: `100644`, `100755`, `120000`. */
  readonly mode: string;
  readonly sizeBytes: number;
  /** What git calls this content: absent where it was not read. */
  readonly blob?: string;
}

export interface ComparedTrees {
  readonly from: TreeRef;
  readonly to: TreeRef;
  readonly signal: AbortSignal;
}

interface SideContent extends FileSide {
  readonly type: 'file' | 'symlink' | 'special';
  /** Nothing where there is too much of it. */
  readonly bytes: Uint8Array | undefined;
}

/** A NUL in this many first bytes makes a file binary, as in git's buffer_is_binary. */
const probeBytes = 8_000;
const contextLines = 3;

/** Where files are read. */
type ReadFiles = Pick<FilesFacet, 'stat' | 'read'>;

/** Reads and compares what is at the paths of a change. @throws missing-object, corrupt-object, aborted */
export async function compareFile(
  files: ReadFiles,
  change: Change,
  { from, to, signal }: ComparedTrees,
): Promise<FileComparison> {
  throwIfAborted(signal, 'Cannot compare the files');
  const [older, newer] = await Promise.all([
    change.type === 'created' ? undefined : readSide(files, change.from ?? change.path, from),
    change.type === 'deleted' ? undefined : readSide(files, change.path, to),
  ]).catch((error) => {
    if (SandboxError.from(error).code === 'not-found') return [undefined, undefined];
    throw error;
  });
  const sides = { older: sideOf(older), newer: sideOf(newer) };
  const none = { ...sides, added: 0, deleted: 0, hunks: [] };
  const both = [older, newer].filter((side) => side !== undefined);
  if (both.length === 0) return { ...none, type: 'unnamed' };
  if (both.some(({ type }) => type === 'special')) return { ...none, type: 'special' };
  if (both.some(({ bytes }) => bytes === undefined)) return { ...none, type: 'too-large' };
  const [oldBytes, newBytes] = [older?.bytes ?? new Uint8Array(), newer?.bytes ?? new Uint8Array()];
  if (isBinary(oldBytes) || isBinary(newBytes)) return { ...none, type: 'binary' };
  return { ...(await compareText(oldBytes, newBytes, signal)), ...sides, type: 'text' };
}

async function readSide(files: ReadFiles, path: string, at: TreeRef): Promise<SideContent> {
  const { type, mode, sizeBytes, target = '' } = await files.stat({ path, at });
  if (type === 'symlink') return { type, mode: '120000', sizeBytes, bytes: new TextEncoder().encode(target) };
  if (type !== 'file') return { type: 'special', mode: mode.toString(8), sizeBytes, bytes: undefined };
  const isLarge = sizeBytes > limits.textDiffBytes;
  const bytes = isLarge ? undefined : await files.read({ path, at });
  return { type, mode: (mode & 0o111) === 0 ? '100644' : '100755', sizeBytes, bytes };
}

function sideOf(side: SideContent | undefined): FileSide | undefined {
  if (!side) return undefined;
  const { mode, sizeBytes, bytes } = side;
  return { mode, sizeBytes, ...(bytes ? { blob: blobId(bytes) } : {}) };
}

/** The id of a blob in git (gitformat-pack, "Object types"). */
function blobId(bytes: Uint8Array): string {
  const header = new TextEncoder().encode(`blob ${bytes.length}\0`);
  const digest = sha1.create().update(header).update(bytes).digest();
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, probeBytes).includes(0);
}

async function compareText(
  oldBytes: Uint8Array,
  newBytes: Uint8Array,
  signal: AbortSignal,
): Promise<Pick<FileComparison, 'added' | 'deleted' | 'hunks'>> {
  const pair = { older: textLines(oldBytes), newer: textLines(newBytes) };
  const keys = new Map<string, number>();
  const keysOf = ({ lines, isEnded }: typeof pair.older) =>
    lines.map((text, index) => {
      // A last line without an end is another than one with it.
      const line = isEnded || index < lines.length - 1 ? `${text}\n` : text;
      const key = keys.get(line) ?? keys.size;
      keys.set(line, key);
      return key;
    });
  const hunks = await lineDifferences(keysOf(pair.older), keysOf(pair.newer), new Steps(signal));
  return {
    added: hunks.reduce((sum, { newCount }) => sum + newCount, 0),
    deleted: hunks.reduce((sum, { oldCount }) => sum + oldCount, 0),
    hunks: [...unifiedFormat(pair, hunks, { context: contextLines })],
  };
}

function textLines(bytes: Uint8Array): { lines: string[]; isEnded: boolean } {
  const text = decodeText(bytes);
  if (text === '') return { lines: [], isEnded: true };
  const isEnded = text.endsWith('\n');
  return { lines: (isEnded ? text.slice(0, -1) : text).split('\n'), isEnded };
}
