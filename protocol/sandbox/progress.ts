/** What a start, or git, is doing now; `totalBytes` is 0 where it is not known. */
export interface Progress {
  readonly stage: 'download' | 'restore' | 'boot' | 'checkout' | 'workspace' | 'git' | 'ready';
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
  /** One line of what a program inside says of how far it is, such as git: data of a stranger (H-9). */
  readonly text?: string | undefined;
}

export type ProgressListener = (progress: Progress) => void;
