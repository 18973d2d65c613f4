import type { ByteString } from '../../../tree/content/byte-string.ts';
import { readByteString } from '../../../tree/content/byte-string.ts';
import type { DiskStat } from '../disk-node.ts';

/** What guest/scan tells; its protocol.h says how, and in which order. */
export type ScanFrame =
  /** What follows is in the directory at `path`; with `isWhole` every name of it follows. */
  | { readonly type: 'enter'; readonly path: ByteString; readonly isWhole: boolean }
  /** The scanned folder itself has no name. */
  | {
      readonly type: 'file';
      readonly name: ByteString;
      readonly stat: DiskStat;
      readonly target: ByteString | undefined;
    }
  /** Names with the inodes that they are of. */
  | { readonly type: 'same'; readonly names: readonly (readonly [ByteString, bigint])[] }
  | { readonly type: 'attribute'; readonly name: ByteString; readonly value: Uint8Array }
  | { readonly type: 'data'; readonly offset: number; readonly bytes: Uint8Array }
  /** `after`: of a file that was read, what it was then; absent where it was no more, or not whole. */
  | { readonly type: 'done'; readonly sizeBytes: number; readonly after: FileState | undefined }
  | { readonly type: 'failed'; readonly byLimit: boolean; readonly text: ByteString };

/** What tells a file from any other, and from what it is once it has changed. */
export type FileState = Pick<DiskStat, 'ino' | 'ctimeNs'>;

/** Bytes before the body of a frame: its length and kind. */
export const scanHeaderBytes = 5;
/** Largest body of a frame. */
export const scanBodyBytes = 66_560;

const requestKinds = {
  look: 1,
  list: 2,
  read: 3,
  go: 4,
  seen: 5,
  settle: 6,
  ahead: 7,
  used: 8,
  settleLittle: 9,
} as const;
const seenBytes = 16;
/** Files that one request tells as seen. */
export const mostSeen = 256;
const nsPerSecond = 1_000_000_000n;

/** Asks for what is not as it was at the last look, and for what was changed at `racyFromNs` (since 1970) or later. */
export function lookRequest(racyFromNs: bigint): Uint8Array {
  const body = new DataView(new ArrayBuffer(12));
  body.setBigInt64(0, racyFromNs / nsPerSecond, true);
  body.setUint32(8, Number(racyFromNs % nsPerSecond), true);
  return request(requestKinds.look, new Uint8Array(body.buffer));
}

/** Asks for all files at `path` and below. */
export function listRequest(path: ByteString): Uint8Array {
  return request(requestKinds.list, Buffer.from(path, 'latin1'));
}

/** Asks for the attributes of the file at `path` and, when it is a regular one, its data. */
export function readRequest(path: ByteString): Uint8Array {
  return request(requestKinds.read, Buffer.from(path, 'latin1'));
}

/**
 * Asks that the times of the file at `path` tell what is written to it from now on; the answer ends with 1 where they may
 * not, and with `onlyLittle` with 2 where that would take the disk a while.
 */
export function settleRequest(
  path: ByteString,
  { onlyLittle }: { readonly onlyLittle: boolean },
): Uint8Array {
  return request(onlyLittle ? requestKinds.settleLittle : requestKinds.settle, Buffer.from(path, 'latin1'));
}

/** What is read into memory while others wait. */
export interface AheadBudget {
  readonly ms: number;
  readonly bytes: number;
}

/** Asks that the first of the next `files` read requests be answered from memory, as many as `budget` lets, and no others. */
export function aheadRequest(files: number, budget: AheadBudget): Uint8Array {
  const body = new DataView(new ArrayBuffer(16));
  body.setUint32(0, files, true);
  body.setUint32(4, budget.ms, true);
  body.setBigUint64(8, BigInt(budget.bytes), true);
  return request(requestKinds.ahead, new Uint8Array(body.buffer));
}

/** Asks whether a process has the file at `path` open for writing: the answer ends with 1 where it may. */
export function usedRequest(path: ByteString): Uint8Array {
  return request(requestKinds.used, Buffer.from(path, 'latin1'));
}

/** Says that `folder` is scanned from now on, a copy of the one before with the same inode numbers and times. */
export function goRequest(folder: string): Uint8Array {
  return request(requestKinds.go, Buffer.from(folder));
}

/** Says of `mostSeen` files at most that the next look is to take them for seen as long as they are like this. */
export function seenRequest(files: readonly Pick<DiskStat, 'ino' | 'ctimeNs'>[]): Uint8Array {
  const body = new DataView(new ArrayBuffer(files.length * seenBytes));
  for (const [index, { ino, ctimeNs }] of files.entries()) {
    body.setBigUint64(index * seenBytes, ino, true);
    // Wraps as it does there, for times that no clock has.
    body.setBigUint64(index * seenBytes + 8, BigInt.asUintN(64, ctimeNs), true);
  }
  return request(requestKinds.seen, new Uint8Array(body.buffer));
}

/** The frame with the body `bytes`, which it shares. @throws RangeError when it is malformed */
export function parseScanFrame(kind: number, bytes: Uint8Array): ScanFrame {
  const body = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (kind) {
    case 1:
      return { type: 'enter', isWhole: (body.getUint8(0) & 1) === 1, path: checkedPath(textFrom(bytes, 1)) };
    case 2:
      return parseFile(bytes, body);
    case 3:
      return { type: 'same', names: parseNames(bytes, body) };
    case 4: {
      const length = body.getUint8(0);
      if (length > bytes.length - 1) throw malformed('an attribute');
      return { type: 'attribute', name: readByteString(bytes, 1, length), value: bytes.subarray(1 + length) };
    }
    case 5:
      return { type: 'data', offset: readSize(body, 0), bytes: bytes.subarray(8) };
    case 6:
      return { type: 'done', sizeBytes: readSize(body, 0), after: readState(body) };
    case 7:
      return { type: 'failed', byLimit: body.getUint8(0) === 1, text: textFrom(bytes, 1) };
    default:
      throw malformed(`a frame of kind ${kind}`);
  }
}

const fileBytes = 61;

function parseFile(bytes: Uint8Array, body: DataView): ScanFrame {
  const nameLength = body.getUint8(fileBytes - 1);
  if (fileBytes + nameLength > bytes.length) throw malformed('a file');
  const name = readByteString(bytes, fileBytes, nameLength);
  if (name !== '') checkName(name);
  const target = textFrom(bytes, fileBytes + nameLength);
  const stat: DiskStat = {
    ino: body.getBigUint64(0, true),
    sizeBytes: readSize(body, 8),
    mtimeNs: nanoseconds(body, 16),
    ctimeNs: nanoseconds(body, 28),
    mode: body.getUint32(40, true),
    uid: body.getUint32(44, true),
    gid: body.getUint32(48, true),
    nlink: body.getUint32(52, true),
    rdev: body.getUint32(56, true),
  };
  return { type: 'file', name, stat, target: target === '' ? undefined : target };
}

function parseNames(bytes: Uint8Array, body: DataView): [ByteString, bigint][] {
  const names: [ByteString, bigint][] = [];
  for (let at = 0; at < bytes.length; ) {
    const ino = body.getBigUint64(at, true);
    const end = bytes.indexOf(0, at + 8);
    if (end < 0) throw malformed('names');
    const name = readByteString(bytes, at + 8, end - at - 8);
    checkName(name);
    names.push([name, ino]);
    at = end + 1;
  }
  return names;
}

function nanoseconds(body: DataView, at: number): bigint {
  return body.getBigInt64(at, true) * nsPerSecond + BigInt(body.getUint32(at + 8, true));
}

function readState(body: DataView): FileState | undefined {
  if (body.byteLength <= 8) return undefined;
  const ino = body.getBigUint64(8, true);
  return ino === 0n ? undefined : { ino, ctimeNs: nanoseconds(body, 16) };
}

/** Sizes beyond what a number holds exactly are beyond what a tree takes as well. */
function readSize(body: DataView, at: number): number {
  return Number(body.getBigUint64(at, true));
}

function checkedPath(path: ByteString): ByteString {
  if (path !== '') for (const name of path.split('/')) checkName(name);
  return path;
}

function checkName(name: ByteString): void {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw malformed('a name');
}

function textFrom(bytes: Uint8Array, start: number): ByteString {
  if (start > bytes.length) throw malformed('a text');
  return readByteString(bytes, start, bytes.length - start);
}

function request(kind: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(3 + body.length);
  new DataView(bytes.buffer).setUint16(0, body.length, true);
  bytes[2] = kind;
  bytes.set(body, 3);
  return bytes;
}

function malformed(what: string): RangeError {
  return new RangeError(`the scanner told ${what} that cannot be`);
}
