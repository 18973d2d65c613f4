import type { DatedEvent } from './transcript.ts';

/** What a file says of its session as a whole, as far as it has been read. */
export interface SessionFacts {
  title?: string;
  command?: string;
  /** Milliseconds since the Unix epoch; otherwise that of the first event. */
  beginMs?: number;
  columns?: number;
  rows?: number;
  env?: Readonly<Record<string, string>>;
  /** Who wrote it, such as `claude-code 2.1.230`. */
  agent?: string;
  model?: string;
  cwd?: string;
  /** Other members of the header, as they were. */
  rest?: Readonly<Record<string, unknown>>;
  /** What of it is not imported, as sentences. */
  omitted: string[];
}

/** A file that belongs to a session, by its path below the session's folder; `undefined` where there is none. */
export type ReadSideFile = (path: string) => Promise<Uint8Array | undefined>;

export interface ImportSource {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly readSideFile: ReadSideFile;
  /** Filled in while the events are read. */
  readonly facts: SessionFacts;
}

/** Makes events of a file of one format. @throws invalid-argument, limit-exceeded for what is none */
export type Importer = (source: ImportSource) => AsyncIterable<DatedEvent>;
