import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { ArchiveReader } from './transfer.ts';

export interface RecordingOptions {
  /** Chosen by the client, at random: `add` and `stop` name the recording by it. At most `limits.recordingIdCharacters`. */
  readonly id: string;
  readonly title?: string | undefined;
  /** Whether the file is a gzip of the text. */
  readonly gzip?: boolean | undefined;
  /** Whether what is typed into terminals is recorded, which may have passwords in it. */
  readonly input?: boolean | undefined;
  /** Whether snapshots go in with their memory, where they have some. */
  readonly memory?: boolean | undefined;
  /**
   * Whether the files of the image go in too, so that a reader without it has all files, and a place without it can go on: many times
   * the size. Without effect where the sandbox has no image.
   */
  readonly image?: boolean | undefined;
  /** Whether the snapshots that led to HEAD go in too, at the beginning. */
  readonly history?: boolean | undefined;
  /** Values that are replaced wherever they occur, besides those that look like secrets. */
  readonly secrets?: readonly string[] | undefined;
}

/** What a client adds to a recording besides what the sandbox does: an event of the file as JSON (`RecordingEvent`). */
export interface RecordingAddition {
  readonly id: string;
  readonly event: string;
}

/** What of a history becomes a recording. */
export interface PastOptions {
  readonly title?: string | undefined;
  readonly gzip?: boolean | undefined;
  /** The first and the last snapshot of it: by default the oldest and the newest. */
  readonly from?: SnapshotId | undefined;
  readonly to?: SnapshotId | undefined;
  /** Whether what terminals showed is in it, as far as that is kept; unless it is `false`. */
  readonly terminals?: boolean | undefined;
  /** Whether snapshots go in with their memory, where they have some. */
  readonly memory?: boolean | undefined;
  /** As `RecordingOptions.image`. */
  readonly image?: boolean | undefined;
  /** Values that are replaced wherever they occur, besides those that look like secrets. */
  readonly secrets?: readonly string[] | undefined;
}

export interface RecordingSummary {
  readonly events: number;
  readonly snapshots: number;
  /** Values that were replaced. */
  readonly redacted: number;
}

/** Sessions of a sandbox as files (docs/reference/recording-file.md). */
export interface RecordingFacet {
  /**
   * Begins a recording of what all clients do in the sandbox: its file, made while it is read. A piece comes when there is something new,
   * and the last one after `stop` or with the end of the sandbox; `close` gives it up. A reader that falls behind by more than
   * `limits.recordingBacklogBytes` ends it, with what was read being a whole recording up to there.
   * @throws limit-exceeded for more than `limits.recordings` at once
   */
  start(ask: RecordingOptions): Promise<ArchiveReader>;
  /**
   * A session that was not recorded, of what is kept anyway: snapshots, and what terminals and commands showed, as far back as
   * `limits.outputLogBytes` go; before that, the commands that snapshots name, and what the first terminal showed at checkpoints. Made
   * while it is read. @throws not-found, invalid-argument; forbidden for what terminals showed with a token for reading
   */
  save(ask: PastOptions): Promise<ArchiveReader>;
  /** Adds a call of a tool, its result, a message, a note or a chapter. @throws not-found, invalid-argument */
  add(ask: RecordingAddition): Promise<void>;
  /** Writes the end; then its file has its last piece. @throws not-found */
  stop(ask: { readonly id: string; readonly exitCode?: number | undefined }): Promise<RecordingSummary>;
}
