import { SandboxError } from '../../protocol/errors.ts';

/** Where the files of an imported image come from. */
export type ImageOrigin =
  /** A folder of this host, or `/`: what is mounted below it stays out. */
  | { readonly type: 'folder'; readonly path: string }
  /** A tar archive: a file, or an `http:` or `https:` URL. */
  | { readonly type: 'tarball'; readonly from: string; readonly sha256: string | undefined };

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
