import type { RecordedSnapshot, RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';

type EventOf<Type extends RecordingEvent['type']> = Extract<RecordingEvent, { readonly type: Type }>;

/** Something that happened, small enough to hold all of it: where it is in the session, without long texts. */
export interface Landmark {
  /** Seconds since the recording began. */
  readonly at: number;
  readonly event:
    | RecordedSnapshot
    | EventOf<'command' | 'command-end' | 'head' | 'call' | 'result' | 'message' | 'note'>
    | EventOf<'chapter' | 'marker' | 'terminal' | 'terminal-end' | 'resize' | 'redacted' | 'end'>;
  /** What of its texts was left out here, as too long: `Recording.whole` has it. */
  readonly isCut?: boolean;
  /** The number of its line in the file, which names it. */
  readonly line: number;
}

/** A screen at an instant, and what has to be shown after it. */
export interface ScreenStart {
  readonly at: number;
  readonly columns: number;
  readonly rows: number;
  /** Bytes that paint it, for an empty terminal of that size. */
  readonly paint: string;
  /** What comes after this line in the file, as `after` of `events`, is not on it yet. */
  readonly line: number;
}

/** Where a text was found. */
export interface Found {
  readonly at: number;
  readonly line: number;
  readonly where: 'output' | 'command' | 'message' | 'call' | 'note' | 'path';
  /** Some characters around it, for a list. */
  readonly excerpt: string;
}

/**
 * A recording that was opened: a file or a folder of segments, in a tab or in Node. It holds an index in memory, never the whole session,
 * and reads parts as they are asked for. Whoever opened it closes it. Each text in it is data (H-9).
 */
export interface Recording extends Disposable {
  readonly header: RecordingHeader;
  /** Whether all of it is in the index. Until then `duration`, `landmarks` and `damage` are those of what is, and grow. */
  readonly isWhole: boolean;
  /** Resolves once something after `at` seconds is in the index, or all is. @throws aborted */
  reach(at: number): Promise<void>;
  /** Seconds from its beginning to its last event. */
  readonly duration: number;
  /** In the order of the session. */
  readonly landmarks: readonly Landmark[];
  /** What is wrong with the file where it does not end as it should: "It was cut after line 812"; `undefined` where it does. */
  readonly damage: string | undefined;
  /** All events in `[from, to)` seconds, in order; of both ends, those at `from` belong to it. */
  events(range: {
    readonly from: number;
    readonly to: number;
    /** Only those after this line of the file. */
    readonly after?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<TimedEvent>;
  /** The last keyframe of a terminal at or before an instant, or its empty screen at its beginning; then play `events` from there, `after` its line. @throws not-found for a terminal that was never there */
  screenStart(terminal: number, at: number): Promise<ScreenStart>;
  /** The event of a line, with all its texts. */
  whole(line: number): Promise<RecordingEvent>;
  /**
   * The export of a snapshot (protocol/SPEC.md, SN-9), for an import: without what the image and earlier snapshots of the file refer
   * to. @throws not-found for a snapshot that the file does not have
   */
  exportOf(snapshot: string): AsyncIterable<Uint8Array>;
  /** Where a text is, regardless of case, in order, `most` at most. */
  search(
    text: string,
    options: { readonly most: number; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly Found[]>;
}
