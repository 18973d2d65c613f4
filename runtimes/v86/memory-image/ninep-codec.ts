import type { ByteReader } from '../../../tree/content/byte-reader.ts';
import type { ByteWriter } from '../../../tree/content/byte-writer.ts';
import type { ByteRangeLock } from '../../../tree/ninep/byte-range-locks.ts';
import { ninePLimits } from '../../../tree/ninep/limits.ts';
import type { NinePState } from '../../../tree/ninep/ninep-state.ts';
import { noneRenumbered, type Renumbering } from '../../../tree/ninep/renumbering.ts';
import type { XattrHandle } from '../../../tree/ninep/xattr-handle.ts';
import { readBytes, writeBytes } from './value-codec.ts';

const maxUint32 = 0xffff_ffff;
const maxName = 65_536;
const maxOffset = Number.MAX_SAFE_INTEGER;

/** Writes the file server's side of a machine's mounts (protocol/SPEC.md, MI-6). */
export function writeNinePState(state: NinePState, writer: ByteWriter): void {
  writer.varint(state.messageBytes);
  writer.varint(state.names.length);
  for (const number of state.fids) writer.signed(number);
  for (const name of state.names) writer.text(name);
  writer.varint(state.xattrs.length);
  for (const { fid, handle } of state.xattrs) {
    writer.varint(fid);
    writer.byte(handle.type === 'reading' ? 0 : 1);
    writeBytes(handle.bytes, writer);
    if (handle.type === 'reading') continue;
    writer.text(handle.name);
    writer.varint(handle.flags);
    writer.varint(handle.writtenBytes);
  }
  writer.varint(state.locks.length);
  for (const { ino, lock } of state.locks) {
    writer.varint(ino);
    writer.varint(lock.start);
    writer.varint(lock.end === Number.POSITIVE_INFINITY ? 0 : lock.end + 1);
    writer.byte(lock.exclusive ? 1 : 0);
    writer.text(lock.clientId);
    writer.varint(lock.processId);
    writer.varint(lock.fid);
  }
}

/** @throws RangeError */
export function readNinePState(reader: ByteReader): Omit<NinePState, 'renumbered'> {
  const messageBytes = reader.varint(ninePLimits.messageBytes);
  const count = reader.varint(ninePLimits.fids);
  const fids = Float64Array.from({ length: count * 5 }, () => reader.signed());
  const names = Array.from({ length: count }, () => reader.text(maxName));
  const xattrs = Array.from({ length: reader.varint(count) }, () => ({
    fid: reader.varint(maxUint32),
    handle: readXattr(reader),
  }));
  const locks = Array.from({ length: reader.varint(ninePLimits.locks) }, () => ({
    ino: reader.varint(maxUint32),
    lock: readLock(reader),
  }));
  return { version: 1, messageBytes, fids, names, xattrs, locks };
}

/** Writes which inodes the guest knows by other numbers; nothing where it knows all by their own. */
export function writeRenumbering(renumbered: Renumbering, writer: ByteWriter): void {
  if (renumbered.length === 0) return;
  writer.varint(renumbered.length);
  for (const [ino, told] of renumbered) {
    writer.varint(ino);
    writer.varint(told);
  }
}

/** @throws RangeError */
export function readRenumbering(reader: ByteReader): Renumbering {
  if (reader.atEnd) return noneRenumbered;
  const count = reader.varint(2 * ninePLimits.fids);
  if (count === 0) reader.refuse('a list of renumbered inodes is empty');
  return Array.from({ length: count }, () => [reader.varint(maxUint32), reader.varint(maxUint32)] as const);
}

function readXattr(reader: ByteReader): XattrHandle {
  const type = reader.byte();
  if (type > 1) reader.refuse('an attribute is neither read nor written');
  const bytes = readBytes(reader, maxName);
  if (type === 0) return { type: 'reading', bytes };
  const name = reader.text(maxName);
  return {
    type: 'writing',
    name,
    flags: reader.varint(maxUint32),
    bytes,
    writtenBytes: reader.varint(bytes.length),
  };
}

function readLock(reader: ByteReader): ByteRangeLock {
  const start = reader.varint(maxOffset);
  const end = reader.varint(maxOffset);
  return {
    start,
    end: end === 0 ? Number.POSITIVE_INFINITY : end - 1,
    exclusive: reader.byte() === 1,
    clientId: reader.text(maxName),
    processId: reader.varint(maxUint32),
    fid: reader.varint(maxUint32),
  };
}
