import { ByteReader } from '../content/byte-reader.ts';
import { toByteString } from '../content/byte-string.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import { objectKinds } from '../content/kinds.ts';
import { storedObject } from '../objects/hash-object.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { historyLimits } from './limits.ts';
import type { SnapshotId } from './snapshot-record.ts';

/** Why a checkpoint was taken. Text is data (H-9). */
export type CheckpointCause =
  /** A command ended. */
  | { readonly type: 'command'; readonly command: string }
  /** Something ran, and the interval had passed. */
  | { readonly type: 'interval' }
  /** Taken before another checkpoint was restored. */
  | { readonly type: 'before-restore' };

/** What the terminal of a process showed. */
interface CheckpointScreen {
  readonly pid: number;
  /** At most `historyLimits.screenBytes`. */
  readonly shown: Uint8Array;
}

/** A stored checkpoint (protocol/SPEC.md, MI-9). */
export interface StoredCheckpoint {
  /** A record with memory that is not in the history. Its first parent is HEAD of that time. */
  readonly record: SnapshotId;
  readonly cause: CheckpointCause;
  readonly screens: readonly CheckpointScreen[];
}

const formatVersion = 1;
/** Causes by their number in the encoding. */
const causeTypes = ['command', 'interval', 'before-restore'] as const;
const maxPid = 0xffff_ffff;

/** The object of a checkpoint. A command that is too long is cut. */
export function encodeCheckpoint({ record, cause, screens }: StoredCheckpoint): StoredObject {
  const writer = new ByteWriter();
  writer.byte(objectKinds.checkpoint);
  writer.varint(formatVersion);
  writer.id(record);
  writer.byte(causeTypes.indexOf(cause.type));
  if (cause.type === 'command') writer.text(toByteString(cause.command).slice(0, historyLimits.textBytes));
  writer.varint(screens.length);
  for (const { pid, shown } of screens) {
    writer.varint(pid);
    writer.varint(shown.length);
    writer.raw(shown);
  }
  return storedObject(writer.finish());
}

/** @throws RangeError when `bytes` are not a stored checkpoint */
export function decodeCheckpoint(bytes: Uint8Array): StoredCheckpoint {
  const reader = new ByteReader(bytes, 'a checkpoint');
  reader.kind(objectKinds.checkpoint);
  const version = reader.varint(255);
  if (version !== formatVersion) reader.refuse(`its format is ${version}, not ${formatVersion}`);
  const record = reader.id() as SnapshotId;
  const cause = readCause(reader);
  const screens = Array.from({ length: reader.varint(historyLimits.screens) }, () => ({
    pid: reader.varint(maxPid),
    shown: reader.raw(reader.varint(historyLimits.screenBytes)),
  }));
  reader.end();
  return { record, cause, screens };
}

function readCause(reader: ByteReader): CheckpointCause {
  const type = causeTypes[reader.byte()];
  if (type === undefined) return reader.refuse('its cause is unknown');
  if (type !== 'command') return { type };
  // The cut may have split a character.
  const command = new TextDecoder().decode(reader.raw(reader.varint(historyLimits.textBytes)));
  return { type, command };
}
