import type { Coverage } from '../../tree/history/snapshot-record.ts';

/** The version of our part of the file: a reader refuses a higher one, and keeps and skips what it does not know of its own. */
export const recordingVersion = 1;

/** The image that a recording's snapshots are stored against: its objects are not in the file, unless it holds them. */
export interface RecordedImage {
  readonly name: string;
  /** Of its manifest, as `SandboxInfo.imageDigest`. */
  readonly digest: string;
  /** The root of its file tree. Builds of one image have the same files, and differ by the state of their machine and so by digest. */
  readonly tree?: string;
  /** The file has the objects of its snapshots that are the image's, too. Data: whoever needs them looks. */
  readonly isHeld?: boolean;
  /** Where its manifest is to be had, for a reader that lacks it. Data: nothing is fetched from it unasked. */
  readonly url?: string;
}

/** What the key `coppice` of an asciicast's header says. Texts are data (H-9). */
export interface RecordedSandbox {
  readonly recording: typeof recordingVersion;
  /** Who wrote the file, such as `coppice 0.1.0`. */
  readonly generator: string;
  /** Name of the sandbox; absent where none was recorded, as in an imported transcript. */
  readonly sandbox?: string;
  /** `jail`, `v86`, `shell`, …; a newer version may say more. */
  readonly runtime?: string;
  readonly architecture?: string;
  /** Absent where the sandbox has no image: its snapshots are whole then. */
  readonly image?: RecordedImage;
  readonly memoryMiB?: number;
  readonly diskMiB?: number;
  /** The snapshot that the recording begins at; absent where no files were recorded. */
  readonly begin?: string;
  /** What of the session was not captured, and why (H-6). */
  readonly coverage?: Partial<Coverage>;
  /** Other things that were not captured, as sentences, such as "What was typed is not recorded". */
  readonly omitted?: readonly string[];
  /** Where an import comes from: `claude-code`, `codex`, `atif`, `orca`, `asciicast`. */
  readonly source?: string;
}

/** The first line of the file: the header of an asciicast v3. */
export interface RecordingHeader {
  /** Columns and rows of the first terminal. */
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds since the Unix epoch at which the recording begins. In the file: whole seconds, with `coppice.beginMs` for the rest. */
  readonly beginMs: number;
  readonly title?: string;
  readonly command?: string;
  /** Environment variables, by their names: those that are not secret. */
  readonly env?: Readonly<Record<string, string>>;
  readonly coppice: RecordedSandbox;
  /** Keys of the header that this version does not know, as they were. */
  readonly rest?: Readonly<Record<string, unknown>>;
}
