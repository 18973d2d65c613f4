import { sha1 } from '@noble/hashes/legacy.js';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { joinBytes } from '../../../tree/join-bytes.ts';
import type { GitFileStat } from './git-files.ts';
import { indexFormat } from './index-format.ts';
import type { TreeFile } from './tree-changes.ts';

/** An entry of the index (gitformat-index), as its bytes. */
interface Row {
  /** The path, as bytes, one character each: git sorts by them. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** What the index is to have at a path: that file, the sides of a conflict, or, without either, nothing. */
export interface IndexChange {
  readonly path: string;
  readonly file?: TreeFile | undefined;
  /** Of a conflict: what both sides come from, ours and theirs. */
  readonly sides?: ConflictSides | undefined;
  /** What the file is like in the working tree. */
  readonly stat?: GitFileStat | undefined;
}

export type ConflictSides = readonly [
  base: TreeFile | undefined,
  ours: TreeFile | undefined,
  theirs: TreeFile | undefined,
];

const { signature, headerBytes, fixedBytes, checksumBytes, extended, wrap } = indexFormat;
const longestName = 0xfff;
const stageShift = 12;
const encoder = new TextEncoder();

/**
 * The content of an index (`undefined` where there is none), with the entries at these paths replaced. Others stay as they are;
 * extensions, which git makes anew, are left out. @throws unsupported for an index of version 4
 */
export function changedIndex(content: Uint8Array | undefined, changes: readonly IndexChange[]): Uint8Array {
  const { version, rows } = content ? parseRows(content) : { version: 2, rows: [] };
  const replaced = new Set(changes.map(({ path }) => keyOf(encoder.encode(path))));
  const made = changes.flatMap(rowsOf);
  const all = [...rows.filter(({ key }) => !replaced.has(key)), ...made];
  // Sides of a conflict stay in their order: the sort is stable.
  all.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const header = new DataView(new ArrayBuffer(headerBytes));
  header.setUint32(0, signature);
  header.setUint32(4, version);
  header.setUint32(8, all.length);
  const parts = [new Uint8Array(header.buffer), ...all.map(({ bytes }) => bytes)];
  const body = joinBytes(
    parts,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  return joinBytes([body, sha1(body)], body.length + checksumBytes);
}

function parseRows(content: Uint8Array): { readonly version: number; readonly rows: Row[] } {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const version = content.length < headerBytes ? 0 : view.getUint32(4);
  if (version !== 2 && version !== 3) {
    throw new SandboxError('unsupported', 'the index is not of version 2 or 3', {
      details: {
        feature: 'index',
        remedy: 'Run `git update-index --index-version 2` in a machine or on a host.',
      },
    });
  }
  const rows: Row[] = [];
  let at = headerBytes;
  for (let count = view.getUint32(8); count > 0; count--) {
    const isExtended = (view.getUint16(at + fixedBytes - 2) & extended) !== 0;
    const nameAt = at + fixedBytes + (isExtended ? 2 : 0);
    const end = content.indexOf(0, nameAt);
    if (end < 0 || end > content.length - checksumBytes || end - nameAt > limits.gitPathBytes) {
      throw new SandboxError('asset-unavailable', 'the index is damaged');
    }
    const next = at + ((end - at + 8) & ~7);
    rows.push({ key: keyOf(content.subarray(nameAt, end)), bytes: content.slice(at, next) });
    at = next;
  }
  return { version, rows };
}

function rowsOf({ path, file, sides, stat }: IndexChange): Row[] {
  if (!sides) return file ? [newRow(path, file, { stat, stage: 0 })] : [];
  return sides.flatMap((side, index) =>
    side ? [newRow(path, side, { stat: undefined, stage: index + 1 })] : [],
  );
}

function newRow(
  path: string,
  { oid, mode }: TreeFile,
  { stat, stage }: { readonly stat: GitFileStat | undefined; readonly stage: number },
): Row {
  const name = encoder.encode(path);
  // An entry ends with one to eight zeros.
  const bytes = new Uint8Array((fixedBytes + name.length + 8) & ~7);
  const view = new DataView(bytes.buffer);
  const { ctimeMs = 0, mtimeMs = 0, dev = 0, ino = 0, uid = 0, gid = 0, size = 0 } = stat ?? {};
  const fields = [...timeOf(ctimeMs), ...timeOf(mtimeMs), dev, ino, mode, uid, gid, size];
  for (const [field, value] of fields.entries()) view.setUint32(4 * field, value % wrap);
  for (let byte = 0; byte < checksumBytes; byte++) {
    view.setUint8(40 + byte, Number.parseInt(oid.slice(2 * byte, 2 * byte + 2), 16));
  }
  view.setUint16(fixedBytes - 2, (stage << stageShift) | Math.min(name.length, longestName));
  bytes.set(name, fixedBytes);
  return { key: keyOf(name), bytes };
}

/** Whole seconds and the rest in nanoseconds, to the precision that the library has. */
function timeOf(ms: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1_000_000)];
}

function keyOf(name: Uint8Array): string {
  let key = '';
  for (const byte of name) key += String.fromCharCode(byte);
  return key;
}
