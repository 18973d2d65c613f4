import { deflateSync, inflateSync } from 'fflate';
import { ByteReader } from '../../../tree/content/byte-reader.ts';
import { ByteWriter } from '../../../tree/content/byte-writer.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { type MemoryHead, readMemoryHead, writeMemoryHead } from '../../../tree/history/memory-head.ts';
import type { NinePState } from '../../../tree/ninep/ninep-state.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { DeviceState } from '../live/device-state.ts';
import { memoryLimits } from './limits.ts';
import { readNinePState, readRenumbering, writeNinePState, writeRenumbering } from './ninep-codec.ts';
import { type PageRun, readRuns, writeRuns } from './page-runs.ts';
import { readTerminals, type SavedTerminal, writeTerminals } from './terminal-codec.ts';
import { floatOf, readBytes, readValue, writeBytes, writeFloat, writeValue } from './value-codec.ts';

/** What a machine was made of, by digests: an image of it is of use to no other. */
export interface MemoryOrigin {
  readonly runtime: string;
  readonly version: string;
  /** Of the runtime's module, as it comes. */
  readonly module: string;
  /** Of the manifest of the sandbox's image, and of the kernel in it. */
  readonly image: string;
  readonly kernel: string;
  /** The state that it was started from; absent for a boot: then RAM began as zeros. */
  readonly golden: string | undefined;
  readonly ramPages: number;
}

/** A running machine but for its RAM. */
export interface RunningState {
  /** ms since 1970. */
  readonly takenAtMs: number;
  /** The same by the clock of the thread that took it, in which its timers tell their times. */
  readonly clockMs: number;
  readonly devices: DeviceState;
  readonly ninep: NinePState;
  /** What the terminals of its processes had shown. */
  readonly terminals: readonly SavedTerminal[];
}

/** A running machine, stored: which pages differ from those that it was started with, and everything else. */
export interface MemoryImage extends MemoryHead, RunningState {
  readonly origin: MemoryOrigin;
  /** In the order of pages. */
  readonly runs: readonly PageRun[];
}

/** The large arrays of devices, by the bundle that each has for itself; none where all are zeros. */
export type LargePlaces = (bytes: Uint8Array) => ObjectId | undefined;

const deflateOptions = { level: 1, mem: 4 } as const;
const mostTextBytes = 256;

/** The bytes of an image (protocol/SPEC.md, MI-2). `large` knows every large array in it. */
export function encodeMemoryImage(image: MemoryImage, large: LargePlaces): Uint8Array {
  const writer = new ByteWriter();
  writeMemoryHead(image, writer);
  writeOrigin(image.origin, writer);
  writer.varint(image.takenAtMs);
  writeFloat(image.clockMs, writer);
  const body = new ByteWriter();
  const indexOf = new Map(image.bundles.map((id, index) => [id, index]));
  writeValue(image.devices, body, (bytes, to) => {
    const id = large(bytes);
    to.varint(bytes.length);
    to.varint(id === undefined ? 0 : (indexOf.get(id) ?? -1) + 1);
  });
  writeNinePState(image.ninep, body);
  writeTerminals(image.terminals, body);
  writeRuns(image.runs, body);
  writeRenumbering(image.ninep.renumbered, body);
  const raw = body.finish();
  writer.varint(raw.length);
  writer.raw(deflateSync(raw, deflateOptions));
  return writer.finish();
}

/** What an image says it can be started on, without the rest. @throws RangeError */
export function decodeMemoryOrigin(bytes: Uint8Array): MemoryOrigin {
  const reader = new ByteReader(bytes, 'memory image');
  readMemoryHead(reader);
  return readOrigin(reader);
}

/** Reads an image that may come from anywhere; `bundle` answers the pages of one. @throws RangeError, and what `bundle` throws */
export function decodeMemoryImage(bytes: Uint8Array, bundle: (id: ObjectId) => Uint8Array): MemoryImage {
  const outer = new ByteReader(bytes, 'memory image');
  const head = readMemoryHead(outer);
  const origin = readOrigin(outer);
  const takenAtMs = outer.varint(Number.MAX_SAFE_INTEGER);
  const clockMs = floatOf(outer.raw(8));
  const raw = new Uint8Array(outer.varint(memoryLimits.bodyBytes));
  if (inflateSync(bytes.subarray(outer.position), { out: raw }).length !== raw.length)
    outer.refuse('it is not as long as it says');
  const reader = new ByteReader(raw, 'memory image');
  const devices = readValue(reader, () => {
    const sizeBytes = reader.varint(memoryLimits.bundlePages * pageBytes);
    const index = reader.varint(head.bundles.length);
    const id = head.bundles[index - 1];
    const pages = id === undefined ? new Uint8Array(sizeBytes) : bundle(id);
    if (pages.length < sizeBytes) reader.refuse('an array is longer than its bundle');
    return pages.slice(0, sizeBytes);
  });
  if (!Array.isArray(devices)) return reader.refuse('its devices are no list');
  const session = readNinePState(reader);
  const terminals = readTerminals(reader);
  const runs = readRuns(reader, { pages: origin.ramPages, bundles: head.bundles.length });
  const ninep = { ...session, renumbered: readRenumbering(reader) };
  reader.end();
  return { ...head, origin, takenAtMs, clockMs, devices, ninep, terminals, runs };
}

function writeOrigin(origin: MemoryOrigin, writer: ByteWriter): void {
  const { runtime, version, module, image, kernel, golden, ramPages } = origin;
  for (const text of [runtime, version]) writeBytes(new TextEncoder().encode(text), writer);
  for (const digest of [module, image, kernel]) writer.id(digest as ObjectId);
  writer.byte(golden === undefined ? 0 : 1);
  if (golden !== undefined) writer.id(golden as ObjectId);
  writer.varint(ramPages);
}

function readOrigin(reader: ByteReader): MemoryOrigin {
  const text = () => new TextDecoder().decode(readBytes(reader, mostTextBytes));
  return {
    runtime: text(),
    version: text(),
    module: reader.id(),
    image: reader.id(),
    kernel: reader.id(),
    golden: reader.byte() === 1 ? reader.id() : undefined,
    ramPages: reader.varint(memoryLimits.pages),
  };
}
