/** An event in a segment: seconds since the recording began, the code and the data of an asciicast. */
export type SegmentEvent = readonly [at: number, code: string, data: string];

/**
 * `index.json` of a folder, as asciinema's player takes it with `format: 'segmented'`; it skips `coppice`.
 * Each segment begins with what the first terminal shows, and with keyframes of the others.
 */
export interface FolderIndex {
  readonly version: 1;
  readonly duration: number;
  readonly term: { readonly cols: number; readonly rows: number; readonly theme?: unknown };
  readonly markers?: readonly (readonly [at: number, label: string])[];
  readonly segments: readonly { readonly start: number; readonly url: string }[];
  /** Absent in a folder that Coppice did not write. */
  readonly coppice?: {
    /** The first line of the file. */
    readonly header: string;
    readonly damage?: string;
    /** For each segment, the terminals besides the first that it has keyframes of. */
    readonly terminals: readonly (readonly number[])[];
    /** Of each snapshot, in how many parts its export is. */
    readonly snapshots: Readonly<Record<string, number>>;
    /** Whether there is `landmarks.json`. */
    readonly hasLandmarks: boolean;
  };
}

/** A segment's file. */
export interface FolderSegment {
  readonly snapshot: { readonly cols: number; readonly rows: number; readonly init: string };
  readonly events: readonly SegmentEvent[];
}

/** `landmarks.json`: `[at, code, data, line, 1 if texts of it are cut]`. */
export type FolderLandmark = readonly [at: number, code: string, data: string, line: number, isCut: 0 | 1];

export const indexPath = 'index.json';
export const landmarksPath = 'landmarks.json';

export function segmentPath(segment: number): string {
  return `segments/${segment}.json`;
}

export function snapshotPath(id: string, part: number): string {
  return `snapshots/${id}-${part}`;
}

/** In a folder, the lines of a segment are numbered from here on. */
export function firstLineOf(segment: number): number {
  return segment * 1_000_000 + 2;
}
