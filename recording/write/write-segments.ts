import { joinBytes } from '../../tree/join-bytes.ts';
import { fromBase64 } from '../format/base64.ts';
import { codeOf } from '../format/encode-event.ts';
import { encodeHeader } from '../format/encode-header.ts';
import {
  type FolderIndex,
  type FolderLandmark,
  type FolderSegment,
  firstLineOf,
  indexPath,
  landmarksPath,
  type SegmentEvent,
  segmentPath,
  snapshotPath,
} from '../format/folder-index.ts';
import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { recordingLimits } from '../limits.ts';
import { Landmarks } from '../read/landmark.ts';
import { loadHeadlessScreen } from '../screen/headless-screen.ts';
import { Screens } from './screens.ts';

/** Writes a file of the folder, whole; `path` is relative. */
export type WriteFile = (path: string, bytes: Uint8Array) => Promise<void>;

/**
 * Writes a recording as a folder: an index and segments, as asciinema's player takes them with `format: 'segmented'`, and the exports
 * of snapshots beside them. The index is written last. Has a segment and a part of each snapshot under way in memory.
 */
export async function writeSegments(
  session: SessionStream & { readonly damage?: string | undefined },
  write: WriteFile,
): Promise<void> {
  const folder = new FolderWriter(session.header, {
    write,
    screens: new Screens(session.header, await loadHeadlessScreen()),
  });
  for await (const timed of session.events()) await folder.add(timed);
  await folder.finish(session.damage);
}

class FolderWriter {
  readonly #header: SessionStream['header'];
  readonly #write: WriteFile;
  readonly #screens: Screens;
  readonly #landmarks = new Landmarks();
  readonly #markers: [at: number, label: string][] = [];
  readonly #segments: { start: number; url: string }[] = [];
  readonly #terminals: number[][] = [];
  readonly #exports: SnapshotFiles;
  #events: SegmentEvent[] = [];
  #snapshot: FolderSegment['snapshot'];
  #characters = 0;
  #start = 0;
  #at = 0;

  constructor(header: SessionStream['header'], { write, screens }: { write: WriteFile; screens: Screens }) {
    this.#header = header;
    this.#write = write;
    this.#screens = screens;
    this.#exports = new SnapshotFiles(write);
    this.#snapshot = { cols: header.columns, rows: header.rows, init: '' };
    this.#terminals.push([]);
  }

  async add({ at, event }: TimedEvent): Promise<void> {
    if (event.type === 'objects') return this.#exports.add(event);
    // Each segment begins with keyframes of its own.
    if (event.type === 'keyframe') return;
    const isFull =
      this.#characters >= recordingLimits.segmentCharacters ||
      this.#events.length >= recordingLimits.segmentEvents;
    // All events of one instant are in one segment.
    if (isFull && at > this.#at) await this.#next(at);
    this.#push(at, event);
    this.#screens.add(event);
    if (event.type === 'marker') this.#markers.push([at, event.label]);
    this.#landmarks.add(event, { at, line: firstLineOf(this.#segments.length) + this.#events.length });
  }

  async finish(damage: string | undefined): Promise<void> {
    // The last segment begins before the recording ends, and is not empty.
    if (this.#events.length === 0 || (this.#start > 0 && this.#at === this.#start))
      this.#push(Math.round(this.#at * 1_000 + 1) / 1_000, { type: 'output', terminal: 1, data: '' });
    await this.#writeSegment();
    await this.#exports.finish();
    const landmarks = this.#landmarks.list.map(({ at, event, line, isCut }): FolderLandmark => {
      const [code, data] = codeOf(event);
      return [at, code, data, line, isCut ? 1 : 0];
    });
    await this.#write(landmarksPath, jsonOf(landmarks));
    await this.#write(indexPath, jsonOf(this.#index(damage)));
    this.#screens[Symbol.dispose]();
  }

  async #next(at: number): Promise<void> {
    await this.#writeSegment();
    this.#start = at;
    this.#snapshot = this.#screens.first();
    this.#events = [];
    this.#characters = 0;
    const others = this.#screens.others();
    for (const keyframe of others) this.#push(at, keyframe);
    this.#terminals.push(others.map(({ terminal }) => terminal));
  }

  #push(at: number, event: RecordingEvent): void {
    const [code, data] = codeOf(event);
    this.#events.push([at, code, data.toWellFormed()]);
    this.#characters += data.length;
    this.#at = at;
  }

  async #writeSegment(): Promise<void> {
    const url = segmentPath(this.#segments.length);
    this.#segments.push({ start: this.#start, url });
    await this.#write(
      url,
      jsonOf({ snapshot: this.#snapshot, events: this.#events } satisfies FolderSegment),
    );
  }

  #index(damage: string | undefined): FolderIndex {
    const { columns, rows, rest } = this.#header;
    const theme = (rest?.term as { theme?: unknown } | undefined)?.theme;
    return {
      version: 1,
      duration: this.#at,
      term: { cols: columns, rows, ...(theme === undefined ? {} : { theme }) },
      markers: this.#markers,
      segments: this.#segments,
      coppice: {
        header: encodeHeader(this.#header),
        ...(damage === undefined ? {} : { damage }),
        terminals: this.#terminals,
        snapshots: this.#exports.parts,
        hasLandmarks: true,
      },
    };
  }
}

/** The exports of snapshots, in parts. */
class SnapshotFiles {
  readonly #write: WriteFile;
  readonly #parts = new Map<string, number>();
  #id = '';
  #pieces: Uint8Array[] = [];
  #sizeBytes = 0;

  constructor(write: WriteFile) {
    this.#write = write;
  }

  get parts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#parts);
  }

  async add({ snapshot, data }: Extract<RecordingEvent, { readonly type: 'objects' }>): Promise<void> {
    if (snapshot !== this.#id) await this.finish();
    this.#id = snapshot;
    const bytes = fromBase64(data);
    this.#pieces.push(bytes);
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes >= recordingLimits.snapshotPartBytes) await this.finish();
  }

  /** Writes what is not written yet. */
  async finish(): Promise<void> {
    if (this.#sizeBytes === 0) return;
    const part = this.#parts.get(this.#id) ?? 0;
    this.#parts.set(this.#id, part + 1);
    const bytes = joinBytes(this.#pieces, this.#sizeBytes);
    this.#pieces = [];
    this.#sizeBytes = 0;
    await this.#write(snapshotPath(this.#id, part), bytes);
  }
}

function jsonOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
