import type { TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import type { Landmark } from './recording.ts';

export interface NumberedEvent extends TimedEvent {
  /** The number of its line in the file, from 1; that of the header is 1. */
  readonly line: number;
}

/** A part of a recording that is read as a whole: a block of lines, or a segment of a folder. */
export interface RecordingPart {
  /** Seconds at which the event before it happened; 0 for the first. */
  readonly at: number;
  readonly firstLine: number;
}

/** Where a snapshot's objects are, by lines. */
export interface SnapshotLines {
  readonly first: number;
  readonly last: number;
}

export interface Keyframe {
  readonly at: number;
  readonly line: number;
}

/** What of a recording is held in memory. Grows until it is whole. */
export interface RecordingIndex {
  readonly isWhole: boolean;
  readonly header: RecordingHeader;
  readonly duration: number;
  readonly landmarks: readonly Landmark[];
  readonly damage: string | undefined;
  /** By terminal, in order. */
  readonly keyframes: ReadonlyMap<number, readonly Keyframe[]>;
}

/** Reads the parts of one recording. Whoever has it disposes of it. */
export interface RecordingParts extends Disposable {
  readonly index: RecordingIndex;
  /** Resolves once something after `at` seconds is known, or all is. @throws aborted */
  reach(at: number): Promise<void>;
  /** In order; never empty. */
  readonly parts: readonly RecordingPart[];
  /** The events of a part. @throws invalid-argument for a line that is wrong */
  read(part: number): Promise<readonly NumberedEvent[]>;
  /** The export of a snapshot. @throws not-found */
  exportOf(snapshot: string): AsyncIterable<Uint8Array>;
}
