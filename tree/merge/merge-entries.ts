import type { ByteString } from '../content/byte-string.ts';
import { isFile } from '../live/file-mode.ts';
import type { GetObject } from '../objects/get-object.ts';
import { sameContent, type TreeEntry } from '../objects/tree-entry.ts';
import { readContent } from '../objects/tree-reader.ts';
import { isGitIndex, isSameGitIndex } from './git-index.ts';
import { mergeLimits } from './limits.ts';
import { type MergeSide, mergeText } from './merge-text.ts';

/** What one name is on three sides. */
export interface Sides<T = TreeEntry | undefined> {
  /** In the common ancestor. */
  readonly base: TreeEntry | undefined;
  readonly ours: T;
  readonly theirs: T;
}

/** An entry that a merge makes; `text` are its bytes where they are neither side's. */
export interface MergedEntry {
  readonly entry: TreeEntry;
  readonly text?: Uint8Array;
}

type Metadata = Pick<TreeEntry, 'mode' | 'uid' | 'gid' | 'mtimeSeconds' | 'mtimeNanoseconds' | 'xattrs'>;

/**
 * Merges two versions of the same type that are no directories: content as a whole, or text line by line, and each
 * attribute by itself. Answers the kind of conflict where that does not go. With `prefer`, lines and attributes that both have
 * changed are that side's, and only what cannot be taken apart is a conflict.
 * @throws RangeError when an object is missing or not canonical
 */
export async function mergeEntries(
  get: GetObject,
  { base, ours, theirs, path }: Sides<TreeEntry> & { readonly path: ByteString },
  { prefer }: { readonly prefer?: MergeSide | undefined } = {},
): Promise<MergedEntry | 'content' | 'added' | 'metadata'> {
  const metadata =
    mergeMetadata({ base, ours, theirs }) ?? (prefer && metadataOf(prefer === 'ours' ? ours : theirs));
  const whole =
    pick({ base, ours, theirs }, sameContent) ??
    (isGitIndex(path) ? await pickIndex(get, { base, ours, theirs }) : undefined);
  if (whole) return metadata ? { entry: { ...whole, ...metadata } } : 'metadata';
  if (base === undefined) return 'added';
  const text = await mergeContent(get, { base, ours, theirs }, prefer);
  if (text === undefined) return 'content';
  // All of it is of the side that is preferred: so is the time.
  const side = prefer === 'theirs' ? theirs : ours;
  const isOneSides =
    prefer && isSameValue(text, await readContent(get, side, { maxBytes: mergeLimits.textBytes }));
  if (isOneSides && metadata) {
    const { mtimeSeconds, mtimeNanoseconds } = side;
    return { entry: { ...side, ...metadata, mtimeSeconds, mtimeNanoseconds } };
  }
  return metadata ? { entry: { ...ours, ...metadata, sizeBytes: text.length }, text } : 'metadata';
}

/** Mode, owner, extended attributes and time of two versions, each of the side that changed it; of two times the later. */
export function mergeMetadata({ base, ours, theirs }: Sides<TreeEntry>): Metadata | undefined {
  const pickOne = (name: 'mode' | 'uid' | 'gid') =>
    pick({ base, ours, theirs }, (one, other) => one[name] === other[name])?.[name];
  const mode = pickOne('mode');
  const uid = pickOne('uid');
  const gid = pickOne('gid');
  const xattrs = mergeXattrs({ base, ours, theirs });
  if (mode === undefined || uid === undefined || gid === undefined || xattrs === undefined) return undefined;
  const { mtimeSeconds, mtimeNanoseconds } = pick({ base, ours, theirs }, sameTime) ?? later(ours, theirs);
  return { mode, uid, gid, mtimeSeconds, mtimeNanoseconds, xattrs };
}

function metadataOf({ mode, uid, gid, mtimeSeconds, mtimeNanoseconds, xattrs }: TreeEntry): Metadata {
  return { mode, uid, gid, mtimeSeconds, mtimeNanoseconds, xattrs };
}

/** The version of the side that has changed it; `undefined` where both have, and not alike. */
function pick<T>(
  { base, ours, theirs }: { readonly base: T | undefined; readonly ours: T; readonly theirs: T },
  isSame: (one: T, other: T) => boolean,
): T | undefined {
  if (isSame(ours, theirs)) return ours;
  if (base === undefined) return undefined;
  if (isSame(base, theirs)) return ours;
  return isSame(base, ours) ? theirs : undefined;
}

/** An index that one side has only read anew is the other side's. */
async function pickIndex(
  get: GetObject,
  { base, ours, theirs }: Sides<TreeEntry>,
): Promise<TreeEntry | undefined> {
  const maxBytes = mergeLimits.gitIndexBytes;
  const all = [ours, theirs, ...(base ? [base] : [])];
  if (!all.every(({ mode, sizeBytes }) => isFile(mode) && sizeBytes <= maxBytes)) return undefined;
  const read = async (entry: TreeEntry) => ({ entry, bytes: await readContent(get, entry, { maxBytes }) });
  const sides = {
    base: base && (await read(base)),
    ours: await read(ours),
    theirs: await read(theirs),
  };
  return pick(sides, (one, other) => isSameGitIndex(one.bytes, other.bytes))?.entry;
}

async function mergeContent(
  get: GetObject,
  { base, ours, theirs }: { readonly base: TreeEntry; readonly ours: TreeEntry; readonly theirs: TreeEntry },
  prefer: MergeSide | undefined,
): Promise<Uint8Array | undefined> {
  const all = [base, ours, theirs];
  const maxBytes = mergeLimits.textBytes;
  if (!all.every(({ mode, sizeBytes }) => isFile(mode) && sizeBytes <= maxBytes)) return undefined;
  const read = (entry: TreeEntry) => readContent(get, entry, { maxBytes });
  const versions = { base: await read(base), ours: await read(ours), theirs: await read(theirs) };
  return mergeText(versions, { prefer });
}

function mergeXattrs({ base, ours, theirs }: Sides<TreeEntry>): TreeEntry['xattrs'] | undefined {
  const names = new Set([...ours.xattrs.keys(), ...theirs.xattrs.keys()]);
  const merged = new Map<ByteString, Uint8Array>();
  for (const name of names) {
    const value = ({ xattrs }: TreeEntry): readonly [Uint8Array | undefined] => [xattrs.get(name)];
    const found = pick(
      { base: base && value(base), ours: value(ours), theirs: value(theirs) },
      ([one], [other]) => isSameValue(one, other),
    );
    if (found === undefined) return undefined;
    if (found[0] !== undefined) merged.set(name, found[0]);
  }
  return merged;
}

function isSameValue(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function sameTime(one: TreeEntry, other: TreeEntry): boolean {
  return one.mtimeSeconds === other.mtimeSeconds && one.mtimeNanoseconds === other.mtimeNanoseconds;
}

function later(one: TreeEntry, other: TreeEntry): TreeEntry {
  const isLater =
    one.mtimeSeconds > other.mtimeSeconds ||
    (one.mtimeSeconds === other.mtimeSeconds && one.mtimeNanoseconds >= other.mtimeNanoseconds);
  return isLater ? one : other;
}
