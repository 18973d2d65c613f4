import { ByteReader } from '../content/byte-reader.ts';
import { toByteString } from '../content/byte-string.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import { objectKinds } from '../content/kinds.ts';
import { hashObject } from '../objects/hash-object.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { historyLimits } from './limits.ts';
import {
  type Cause,
  type ChangeSummary,
  type Coverage,
  type CoveragePart,
  type Covered,
  coverageParts,
  type Extension,
  type SnapshotId,
  type SnapshotRecord,
} from './snapshot-record.ts';

const maxCount = Number.MAX_SAFE_INTEGER;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Causes by their number in the encoding (protocol/SPEC.md, SN-4). */
const causeTypes = ['image', 'capture', 'manual', 'checkout', 'fork', 'import'] as const;
/** A capture that names the runs of its commands. */
const captureOfRuns = 7;

/**
 * The canonical bytes of a record and their id (rule H-1; protocol/SPEC.md, SN-1 to SN-7 and SN-13).
 * @throws RangeError when the record is not one that `decodeSnapshot` reads
 */
export function encodeSnapshot(record: SnapshotRecord): StoredObject & { readonly id: SnapshotId } {
  const writer = new ByteWriter();
  writer.byte(objectKinds.snapshotRecord);
  writer.id(record.tree);
  writer.byte(record.memory === undefined ? 0 : 1);
  if (record.memory !== undefined) writer.id(record.memory);
  writer.varint(record.parents.length);
  for (const parent of record.parents) writer.id(parent);
  writeCause(record.cause, writer);
  for (const part of coverageParts) writeCovered(record.coverage[part], writer);
  writer.varint(record.changes.created);
  writer.varint(record.changes.modified);
  writer.varint(record.changes.deleted);
  writeTexts(record.changes.paths, writer);
  writer.varint(record.takenAtMs);
  if (record.extensions !== undefined) writeExtensions(record.extensions, writer);
  const bytes = writer.finish();
  // The decoder alone defines a valid record: a more lenient encoder would write what cannot be read.
  decodeSnapshot(bytes);
  return { id: hashObject(bytes) as SnapshotId, bytes };
}

/** Reads a record. @throws RangeError when `bytes` are not canonical */
export function decodeSnapshot(bytes: Uint8Array): SnapshotRecord {
  const reader = new ByteReader(bytes, 'a snapshot record');
  if (bytes.length > historyLimits.recordBytes) reader.refuse('it is too long');
  reader.kind(objectKinds.snapshotRecord);
  const record: SnapshotRecord = {
    tree: reader.id(),
    memory: readFlag(reader) ? reader.id() : undefined,
    parents: readParents(reader),
    cause: readCause(reader),
    coverage: readCoverage(reader),
    changes: readChanges(reader),
    takenAtMs: reader.varint(maxCount),
  };
  if (reader.atEnd) return record;
  const extensions = readExtensions(reader);
  reader.end();
  return { ...record, extensions };
}

function writeCause(cause: Cause, writer: ByteWriter): void {
  const hasRuns = cause.type === 'capture' && cause.runs !== undefined;
  writer.byte(hasRuns ? captureOfRuns : causeTypes.indexOf(cause.type) + 1);
  if (cause.type === 'capture') {
    writeTexts(cause.commands, writer);
    if (cause.runs !== undefined) writeTexts(cause.runs, writer);
  } else writeText(causeText(cause), writer);
}

function causeText(cause: Exclude<Cause, { type: 'capture' }>): string {
  switch (cause.type) {
    case 'image':
      return cause.image;
    case 'manual':
      return cause.label;
    case 'checkout':
      return cause.from;
    case 'fork':
      return cause.sandbox;
    case 'import':
      return cause.source;
  }
}

function readCause(reader: ByteReader): Cause {
  const number = reader.byte();
  if (number === captureOfRuns) {
    const commands = readTexts(reader, historyLimits.commands);
    const runs = readTexts(reader, historyLimits.commands);
    if (runs.length === 0) reader.refuse('it names no run');
    return { type: 'capture', commands, runs };
  }
  const type = causeTypes[number - 1];
  switch (type) {
    case 'image':
      return { type, image: readText(reader) };
    case 'capture':
      return { type, commands: readTexts(reader, historyLimits.commands) };
    case 'manual':
      return { type, label: readText(reader) };
    case 'checkout':
      return { type, from: readText(reader) };
    case 'fork':
      return { type, sandbox: readText(reader) };
    case 'import':
      return { type, source: readText(reader) };
    default:
      return reader.refuse('its cause is unknown');
  }
}

function readParents(reader: ByteReader): SnapshotId[] {
  const count = reader.varint(historyLimits.parents);
  const parents = Array.from({ length: count }, () => reader.id() as SnapshotId);
  if (new Set(parents).size !== count) reader.refuse('it names a parent twice');
  return parents;
}

function writeCovered(covered: Covered, writer: ByteWriter): void {
  const text = covered.captured ? covered.renewed : covered.why;
  writer.byte(!covered.captured ? 0 : text === undefined ? 1 : 2);
  if (text !== undefined) writeText(text, writer);
}

function readCoverage(reader: ByteReader): Coverage {
  const entries = coverageParts.map((part): [CoveragePart, Covered] => [part, readCovered(reader)]);
  return Object.fromEntries(entries) as Coverage;
}

function readCovered(reader: ByteReader): Covered {
  switch (reader.byte()) {
    case 0:
      return { captured: false, why: readText(reader) };
    case 1:
      return { captured: true };
    case 2:
      return { captured: true, renewed: readText(reader) };
    default:
      return reader.refuse('it covers a part in an unknown way');
  }
}

function readChanges(reader: ByteReader): ChangeSummary {
  return {
    created: reader.varint(maxCount),
    modified: reader.varint(maxCount),
    deleted: reader.varint(maxCount),
    paths: readTexts(reader, historyLimits.paths),
  };
}

/** In the order of their names' bytes, so that there is one encoding. */
function writeExtensions(extensions: NonNullable<SnapshotRecord['extensions']>, writer: ByteWriter): void {
  const entries = Object.entries(extensions).map(([name, extension]) => ({
    name: toByteString(name),
    ...extension,
  }));
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  writer.varint(entries.length);
  for (const { name, text, objects } of entries) {
    writer.text(name);
    writeText(text, writer);
    writer.varint(objects.length);
    for (const id of objects) writer.id(id);
  }
}

function readExtensions(reader: ByteReader): Record<string, Extension> {
  const count = reader.varint(historyLimits.extensions);
  if (count === 0) reader.refuse('it has a list of no extensions');
  let last: string | undefined;
  const entries = Array.from({ length: count }, (): [string, Extension] => {
    const name = readText(reader);
    const bytes = toByteString(name);
    if (last !== undefined && bytes <= last) reader.refuse('its extensions are not in order');
    last = bytes;
    const text = readText(reader, historyLimits.extensionBytes);
    const objects = Array.from({ length: reader.varint(historyLimits.extensionObjects) }, () => reader.id());
    return [name, { text, objects }];
  });
  return Object.fromEntries(entries);
}

function readFlag(reader: ByteReader): boolean {
  const value = reader.byte();
  if (value > 1) reader.refuse('a flag is neither 0 nor 1');
  return value === 1;
}

function writeText(text: string, writer: ByteWriter): void {
  writer.text(toByteString(text));
}

function writeTexts(texts: readonly string[], writer: ByteWriter): void {
  writer.varint(texts.length);
  for (const text of texts) writeText(text, writer);
}

function readText(reader: ByteReader, mostBytes: number = historyLimits.textBytes): string {
  try {
    return decoder.decode(reader.raw(reader.varint(mostBytes)));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return reader.refuse('a text is not UTF-8');
  }
}

function readTexts(reader: ByteReader, max: number): string[] {
  return Array.from({ length: reader.varint(max) }, () => readText(reader));
}
