/**
 * What a descriptor refers to: a file of the tree, an end of a pipe, a process's input or output. Descriptors that were
 * duplicated share one, with its position. Who holds it counts: `retain` for each descriptor, `release` when it closes.
 */
export interface OpenFile {
  readonly type: 'file' | 'directory' | 'pipe' | 'stream' | 'terminal' | 'null';
  /** What of a terminal can be asked and set. */
  readonly terminal?: { columns: number; rows: number; echo: boolean; opost: boolean };
  /** The absolute path that a tree's file was opened by, or a terminal's. */
  readonly path?: string | undefined;
  readonly isTerminal?: boolean | undefined;
  /**
   * As many bytes as there are, at most `maxBytes`; none at the end. Waits for a pipe that has writers and no bytes.
   * @throws ShellError EBADF of what is open for writing only, EISDIR, EIO; what the signal was aborted with
   */
  read(maxBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Puts bytes back that were read last: the next `read` answers them first. */
  unread(bytes: Uint8Array): void;
  /** Writes all of it. Waits for room in a pipe. @throws ShellError EPIPE once no reader is left, ENOSPC, EFBIG, EBADF */
  write(bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  retain(): void;
  release(): void;
}
