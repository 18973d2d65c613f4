import { SandboxError } from '../../protocol/errors.ts';
import { objectId } from '../../protocol/sandbox/schemas.ts';
import {
  absentOr,
  count,
  dictionary,
  flag,
  integer,
  isObject,
  list,
  mismatch,
  number,
  record,
  type Schema,
  text,
} from '../../protocol/schema.ts';
import { boundSize, decodeEvent, parseJson } from '../format/decode-event.ts';
import { decodeHeader } from '../format/decode-header.ts';
import {
  type FolderIndex,
  type FolderLandmark,
  firstLineOf,
  indexPath,
  landmarksPath,
  snapshotPath,
} from '../format/folder-index.ts';
import { firstTerminal, type RecordingEvent } from '../format/recording-event.ts';
import { type RecordingHeader, recordingVersion } from '../format/recording-header.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';
import { Landmarks } from './landmark.ts';
import type { Landmark } from './recording.ts';
import type {
  Keyframe,
  NumberedEvent,
  RecordingIndex,
  RecordingPart,
  RecordingParts,
} from './recording-parts.ts';

/** Reads a file of the folder, by a path without `..` that `openRecordingFolder` names. @throws what its storage does */
export type ReadFile = (path: string) => Promise<Uint8Array>;

const seconds: Schema<number> = (value, where) => {
  if (number(value, where) < 0 || Number(value) > recordingLimits.intervalSeconds)
    throw mismatch(where, 'seconds');
  return Number(value);
};
const size = { cols: integer(1, 65_535), rows: integer(1, 65_535) };

/** A path within the folder: an index of a stranger may name anything. */
const innerPath: Schema<string> = (value, where) => {
  const isInner = /^(?!\/)(?:[\w][\w.-]{0,127}\/){0,8}[\w][\w.-]{0,127}$/.test(text(value, where));
  if (!isInner) throw mismatch(where, 'a path within the folder');
  return String(value);
};

const folderIndex: Schema<FolderIndex> = record<FolderIndex>({
  version: integer(1, 1) as Schema<1>,
  duration: seconds,
  term: record<FolderIndex['term']>({ ...size, theme: (value) => value }),
  markers: absentOr((value, where) => {
    for (const marker of list(list((each) => each, { least: 2, most: 2 }))(value, where)) {
      seconds(marker[0], where);
      text(marker[1], where);
    }
    return value as NonNullable<FolderIndex['markers']>;
  }),
  segments: list(record({ start: seconds, url: innerPath }), { least: 1, most: recordingLimits.segments }),
  coppice: absentOr(
    record<NonNullable<FolderIndex['coppice']>>({
      header: text,
      damage: absentOr(text),
      terminals: list(
        list(integer(2, recordingLimits.terminals), { most: recordingLimits.keyframeTerminals }),
      ),
      snapshots: dictionary(objectId, count(1_000_000)),
      hasLandmarks: flag,
    }),
  ),
});

/** The segments of a folder. */
export class FolderParts implements RecordingParts {
  readonly #read: ReadFile;
  readonly #folder: FolderIndex;
  readonly index: RecordingIndex;
  readonly parts: readonly RecordingPart[];
  #last: { readonly part: number; readonly events: Promise<readonly NumberedEvent[]> } | undefined;

  private constructor(read: ReadFile, folder: FolderIndex, landmarks: readonly Landmark[]) {
    this.#read = read;
    this.#folder = folder;
    this.parts = folder.segments.map(({ start }, segment) => ({
      at: start,
      firstLine: firstLineOf(segment),
    }));
    this.index = {
      isWhole: true,
      header: headerOf(folder),
      duration: folder.duration,
      landmarks,
      damage: folder.coppice?.damage,
      keyframes: keyframesOf(folder),
    };
  }

  /** @throws invalid-argument, version-mismatch */
  static async open(read: ReadFile): Promise<FolderParts> {
    const folder = checked(
      folderIndex,
      await readJson(read, indexPath, recordingLimits.indexBytes),
      indexPath,
    );
    if (folder.segments.some(({ start }, at) => start < (folder.segments[at - 1]?.start ?? 0)))
      throw refuseRecording('its segments are not in order');
    const landmarks = new Landmarks();
    if (folder.coppice?.hasLandmarks) {
      const told = checked(
        list(list((each) => each)),
        await readJson(read, landmarksPath, recordingLimits.indexBytes),
        landmarksPath,
      );
      for (const each of told) addLandmark(landmarks, each);
    } else
      for (const [at, label] of folder.markers ?? [])
        landmarks.add({ type: 'marker', label }, { at, line: 1 });
    return new FolderParts(read, folder, landmarks.list);
  }

  async reach(): Promise<void> {}

  read(part: number): Promise<readonly NumberedEvent[]> {
    if (this.#last?.part === part) return this.#last.events;
    const events = this.#readSegment(part);
    this.#last = { part, events };
    events.catch(() => {
      this.#last = undefined;
    });
    return events;
  }

  async *exportOf(snapshot: string): AsyncGenerator<Uint8Array> {
    const parts = Object.hasOwn(this.#folder.coppice?.snapshots ?? {}, snapshot)
      ? this.#folder.coppice?.snapshots[snapshot]
      : undefined;
    if (parts === undefined) throw new SandboxError('not-found', `The recording has no snapshot ${snapshot}`);
    for (let part = 0; part < parts; part++) yield await this.#read(snapshotPath(snapshot, part));
  }

  [Symbol.dispose](): void {
    this.#last = undefined;
  }

  async #readSegment(part: number): Promise<readonly NumberedEvent[]> {
    const { url = '', start = 0 } = this.#folder.segments[part] ?? {};
    const value = await readJson(this.#read, url, recordingLimits.segmentBytes);
    const segment = checked(segmentFile, value, url);
    const first = firstLineOf(part);
    const { cols, rows, init: data } = segment.snapshot;
    const painted: RecordingEvent = {
      type: 'keyframe',
      terminal: firstTerminal,
      ...boundSize(cols, rows),
      data,
    };
    const events: NumberedEvent[] = part === 0 ? [] : [{ at: start, event: painted, line: first }];
    let last = start;
    for (const [index, [at, code, data]] of segment.events.entries()) {
      last = Math.max(last, seconds(at, url));
      const line = first + 1 + index;
      events.push({ at: last, event: decodeEvent(code, data, line), line });
    }
    return events;
  }
}

const landmarkFields: Schema<FolderLandmark> = (value, where) => {
  const [at, code, data, line, isCut] = list((each) => each, { least: 5, most: 5 })(value, where);
  return [
    seconds(at, where),
    text(code, where),
    text(data, where),
    count(Number.MAX_SAFE_INTEGER)(line, where),
    isCut === 1 ? 1 : 0,
  ];
};

type AnySegment = {
  snapshot: { cols: number; rows: number; init: string };
  events: [number, string, string][];
};

const segmentFile: Schema<AnySegment> = record<AnySegment>({
  snapshot: record({ ...size, init: text }),
  events: list(
    (value, where) => {
      if (!Array.isArray(value) || value.length !== 3) throw mismatch(where, 'an event');
      seconds(value[0], where);
      text(value[1], where);
      text(value[2], where);
      return value as [number, string, string];
    },
    { most: 999_990 },
  ),
});

function addLandmark(landmarks: Landmarks, told: readonly unknown[]): void {
  const [at, code, data, line, isCut] = checked(landmarkFields, told, landmarksPath);
  landmarks.add(decodeEvent(code, data, line), { at, line, isCut: isCut === 1 });
}

function headerOf({ term, coppice }: FolderIndex): RecordingHeader {
  if (coppice !== undefined) return decodeHeader(coppice.header).header;
  return {
    ...boundSize(term.cols, term.rows),
    beginMs: 0,
    coppice: { recording: recordingVersion, generator: 'asciicast', source: 'asciicast' },
  };
}

function keyframesOf({ segments, coppice }: FolderIndex): ReadonlyMap<number, readonly Keyframe[]> {
  const keyframes = new Map<number, Keyframe[]>();
  for (const [segment, { start: at }] of segments.entries()) {
    if (segment === 0) continue;
    for (const [index, terminal] of [firstTerminal, ...(coppice?.terminals[segment] ?? [])].entries()) {
      const list = keyframes.get(terminal) ?? [];
      list.push({ at, line: firstLineOf(segment) + index });
      keyframes.set(terminal, list);
    }
  }
  return keyframes;
}

async function readJson(read: ReadFile, path: string, most: number): Promise<unknown> {
  const bytes = await read(path);
  if (bytes.length > most)
    throw refuseRecording(`${path} is longer than ${most} bytes`, { code: 'limit-exceeded' });
  try {
    return parseJson(new TextDecoder().decode(bytes), 1);
  } catch (error) {
    throw refuseRecording(`${path} is no JSON`, { cause: error });
  }
}

function checked<T>(schema: Schema<T>, value: unknown, path: string): T {
  try {
    if (!isObject(value) && !Array.isArray(value)) throw mismatch(path, 'an object');
    return schema(value, path);
  } catch (error) {
    const { code, details } = SandboxError.from(error);
    if (code !== 'protocol-violation') throw error;
    throw refuseRecording(`it has something else than ${details.expected} as ${details.where}`);
  }
}
