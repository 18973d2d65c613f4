import { SandboxError } from '../../protocol/errors.ts';

/** Where the files of an imported image come from. */
export type ImageOrigin =
  /** A folder of this host, or `/`. */
  | ({ readonly type: 'folder'; readonly path: string } & FolderChoice)
  /** A tar archive: a file, or an `http:` or `https:` URL. */
  | { readonly type: 'tarball'; readonly from: string; readonly sha256: string | undefined };

/** What of a folder comes along. */
export interface FolderChoice {
  /** Patterns of GNU tar: one that begins with `/` is of a path from the folder on, another of a name at any depth. */
  readonly exclude?: readonly string[] | undefined;
  /** Absolute paths of folders that stay out with all that is in them, where they are in it. */
  readonly without?: readonly string[] | undefined;
  /** Absolute paths of folders that come along at the place that they have on this host. */
  readonly beside?: readonly string[] | undefined;
  /** Whether what is mounted below it comes along; by default it stays out. */
  readonly crossesMounts?: boolean | undefined;
  /** Whether what this user may not read stays out, and is counted; by default it is an error. */
  readonly skipsUnreadable?: boolean | undefined;
  /** Whether all of it is root's and may be changed by its owner, whatever it is on this host; by default it stays as it is. */
  readonly isGivenToRoot?: boolean | undefined;
}

/** A tar archive as it comes. */
export interface TarStream {
  /** To be read once, to its end. @throws SandboxError where its source fails */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Bytes that were read from the source so far, and of how many; 0 where nobody knows. */
  readonly progress: () => { readonly doneBytes: number; readonly totalBytes: number };
  /** After the last piece: checks that it was all. Resolves to what a person should know. */
  readonly finish: () => Promise<readonly string[]>;
}

/** What could not be imported, and why. */
export function importFailure(from: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid-argument', `Cannot import ${from}: ${why}`, { cause });
}
