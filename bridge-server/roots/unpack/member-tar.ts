import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { ContentSource } from '../../../tree/content/content-source.ts';
import { contentChunks } from '../../../tree/content/file-content.ts';
import { treeLimits } from '../../../tree/limits.ts';
import { majorOf, minorOf } from '../../../tree/live/device-number.ts';
import { fileMode, isDirectory, isFile } from '../../../tree/live/file-mode.ts';
import type { TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { encodeTarHeader } from '../../../tree/tar/encode-tar-header.ts';
import { filePieces } from '../../../tree/tar/file-pieces.ts';
import { type TarEntry, tarBlockBytes, tarTypeOf } from '../../../tree/tar/tar-entry.ts';
import { type HostAbilities, supportedId, supportedXattrs } from '../supported-metadata.ts';
import { encodeSparseHeader, type SparseRun } from './sparse-header.ts';

/** The member of an archive that makes `entry` at `path`, in pieces, with as much of its metadata as the host holds. */
export function* memberTar(
  path: ByteString,
  entry: TreeEntry,
  { source, abilities }: { readonly source: ContentSource; readonly abilities: HostAbilities },
): Generator<Uint8Array> {
  const type = tarTypeOf(entry.mode);
  if (type === undefined) return;
  const header: TarEntry = {
    ...plainMember,
    type,
    path: memberPath(path, entry.mode),
    permissions: entry.mode & fileMode.permissions,
    uid: supportedId(entry.uid, abilities),
    gid: supportedId(entry.gid, abilities),
    mtimeSeconds: entry.mtimeSeconds,
    mtimeNanoseconds: entry.mtimeNanoseconds,
    sizeBytes: entry.sizeBytes,
    linkPath: entry.target ?? '',
    major: majorOf(entry.rdev),
    minor: minorOf(entry.rdev),
    xattrs: supportedXattrs(entry, abilities),
  };
  if (!isFile(entry.mode)) yield encodeTarHeader(header);
  else if (isSparse(entry)) yield* sparseFile(header, entry, source);
  else yield* denseFile(header, entry, source);
}

/** The member that makes `path` another name of `to`. */
export function linkTar(path: ByteString, to: ByteString): Uint8Array {
  return encodeTarHeader({ ...plainMember, type: 'hardLink', path, linkPath: to });
}

/** The member that hides what layers below have at `path`: a device 0:0 (kernel docs, overlayfs, "whiteouts"). */
export function whiteoutTar(path: ByteString): Uint8Array {
  return encodeTarHeader({ ...plainMember, type: 'characterDevice', path });
}

const plainMember: TarEntry = {
  type: 'file',
  path: '',
  permissions: 0,
  uid: 0,
  gid: 0,
  mtimeSeconds: 0,
  mtimeNanoseconds: 0,
  sizeBytes: 0,
  linkPath: '',
  major: 0,
  minor: 0,
  xattrs: new Map(),
};

function memberPath(path: ByteString, mode: number): ByteString {
  if (path === '') return './';
  return isDirectory(mode) ? `${path}/` : path;
}

function isSparse({ content, sizeBytes }: TreeEntry): boolean {
  return content !== undefined && contentChunks(content) < Math.ceil(sizeBytes / treeLimits.extentBytes);
}

function* denseFile(header: TarEntry, entry: TreeEntry, source: ContentSource): Generator<Uint8Array> {
  yield encodeTarHeader(header);
  let at = 0;
  for (const { offset, bytes } of filePieces(source, entry)) {
    if (offset > at) yield new Uint8Array(offset - at);
    yield bytes;
    at = offset + bytes.length;
  }
  // Chunks leave out the zeros at their end; there is less than one of them missing here.
  if (at < entry.sizeBytes) yield new Uint8Array(entry.sizeBytes - at);
  yield* padding(entry.sizeBytes);
}

/** Holes stay holes: a file of terabytes with nothing in it is no more than a header. */
function* sparseFile(header: TarEntry, entry: TreeEntry, source: ContentSource): Generator<Uint8Array> {
  const runs: SparseRun[] = [];
  let dataBytes = 0;
  for (const { offset, bytes } of filePieces(source, entry)) {
    const last = runs[runs.length - 1];
    // Every run but one at the end of the file has whole blocks; a chunk leaves out the zeros at its end.
    const length = Math.min(wholeBlocks(bytes.length), entry.sizeBytes - offset);
    if (last && last.offset + last.length === offset) last.length += length;
    else runs.push({ offset, length });
    dataBytes += length;
    if (runs.length > limits.sparseRuns) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot unpack a file with more than ${limits.sparseRuns} holes`,
      );
    }
  }
  yield encodeSparseHeader({ ...header, sizeBytes: dataBytes }, { runs, sizeBytes: entry.sizeBytes });
  for (const { bytes } of filePieces(source, entry)) {
    yield bytes;
    yield* padding(bytes.length);
  }
}

function* padding(sizeBytes: number): Generator<Uint8Array> {
  const missing = wholeBlocks(sizeBytes) - sizeBytes;
  if (missing > 0) yield new Uint8Array(missing);
}

function wholeBlocks(sizeBytes: number): number {
  return Math.ceil(sizeBytes / tarBlockBytes) * tarBlockBytes;
}
