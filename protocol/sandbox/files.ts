import type { TreeRef } from './refs.ts';

export type FileType = 'file' | 'directory' | 'symlink' | 'device' | 'fifo' | 'socket';

export interface FileInfo {
  readonly path: string;
  readonly name: string;
  readonly type: FileType;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly target: string | undefined;
}

/** A file or a directory, now unless `at` names another tree. */
export interface PathAt {
  readonly path: string;
  readonly at?: TreeRef | undefined;
}

export interface FileContent {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Permission bits; as the umask of a new file, or as they are, when left out. */
  readonly mode?: number | undefined;
}

/** The files of a sandbox: as they are now, or in a snapshot. Only those of now can be changed. */
export interface FilesFacet {
  read(ask: PathAt): Promise<Uint8Array>;
  /** Creates the file, or replaces all of its content. */
  write(ask: FileContent): Promise<void>;
  list(ask: PathAt): Promise<FileInfo[]>;
  stat(ask: PathAt): Promise<FileInfo>;
  /** With the directories above it; one that is there stays. */
  makeDirectory(ask: { readonly path: string }): Promise<void>;
  /** With all that is in it. */
  remove(ask: { readonly path: string }): Promise<void>;
  rename(ask: { readonly from: string; readonly to: string }): Promise<void>;
  /**
   * Copies a file, a link, or a directory with all that is in it, with owners, modes and times; blocks are shared where the
   * file system can do that. A file at `to` is replaced. All of it is there or, where it fails, nothing.
   * @throws not-found, invalid-argument where a directory is at `to`, storage-full
   */
  copy(ask: { readonly from: string; readonly to: string }): Promise<void>;
}
