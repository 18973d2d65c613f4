/** What of a file git looks at. */
export interface GitFileStat {
  readonly mode: number;
  readonly size: number;
  readonly ino: number;
  readonly uid: number;
  readonly gid: number;
  readonly dev: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Files as the library calls them. Each rejects with an error whose `code` is Linux's, such as `ENOENT`. */
export interface GitFileCalls {
  readFile(path: string, options?: string | { readonly encoding?: string }): Promise<Uint8Array | string>;
  writeFile(
    path: string,
    content: Uint8Array | string,
    options?: string | { readonly mode?: number },
  ): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  stat(path: string): Promise<GitFileStat>;
  lstat(path: string): Promise<GitFileStat>;
  readdir(path: string): Promise<string[]>;
  readlink(path: string): Promise<string>;
  symlink(target: string, path: string): Promise<void>;
}

/** A time of change. */
export interface FileTime {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** The files of a machine whose programs share them with this thread: a change is seen at once. */
export interface GitFiles {
  /**
   * Calls for one working tree. They write below `root` only, through no link, and into `.git` by that very name only;
   * new files are the user's. Once `signal` is aborted they do nothing any more, and others get the thread between them.
   */
  within(root: string, signal: AbortSignal): GitFileCalls;
  /** Whether anything is there, even a link that leads nowhere. */
  isThere(path: string): boolean;
  isDirectory(path: string): boolean;
  /** Makes a directory of the user's. @throws not-found, storage-full */
  makeDirectory(path: string): Promise<void>;
  /** Removes what is there. With `time`, the directory that held it gets that as its time of change. */
  remove(path: string, options?: { readonly time?: FileTime | undefined }): Promise<void>;
  /** When a directory has changed. @throws not-found */
  timeOf(path: string): FileTime;
  rename(options: { readonly path: string; readonly to: string }): Promise<void>;
  /** The hunks of a unified diff. */
  compareText(older: string, newer: string, signal: AbortSignal): Promise<string>;
  /** A text with the changes of both sides; `undefined` where they have changed the same lines. */
  mergeText(
    base: string,
    sides: { readonly ours: string; readonly theirs: string },
    signal: AbortSignal,
  ): Promise<string | undefined>;
}
