/**
 * What a start, or git, is doing now; `totalBytes` is 0 where it is not known. With `unpack`, files are written to the disk of
 * the sandbox's host.
 */
export interface Progress {
  readonly stage: 'download' | 'restore' | 'boot' | 'unpack' | 'checkout' | 'workspace' | 'git' | 'ready';
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
  /** One line of how far it is, such as what git inside says of that: data of a stranger (H-9). */
  readonly text?: string | undefined;
}

export type ProgressListener = (progress: Progress) => void;
