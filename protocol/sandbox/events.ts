import type { ChangeSummary, SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { ErrorData } from '../errors.ts';
import type { SnapshotInfo } from './history.ts';
import type { Progress } from './progress.ts';

/** How a command of a terminal ended, as its shell tells. The text is data (H-9). */
export interface CommandEnd {
  /** What was typed, cut at `limits.causeCommandBytes`. */
  readonly command: string;
  /** 128 and more: the number of the signal that ended it, added. */
  readonly exitCode: number;
}

/** What a sandbox tells its listeners; `seq` grows by one, so a listener can resume after one. */
export type SandboxEvent = { readonly seq: number } & (
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'ready' }
  | { readonly type: 'snapshot'; readonly snapshot: SnapshotInfo; readonly head: SnapshotId }
  | { readonly type: 'head'; readonly head: SnapshotId }
  | { readonly type: 'history' }
  | { readonly type: 'pending'; readonly pending: ChangeSummary }
  /** There are other checkpoints than before. */
  | { readonly type: 'checkpoints' }
  | { readonly type: 'capture-stopped'; readonly error: ErrorData }
  | { readonly type: 'capture-resumed' }
  /** How much of the image is kept for use without network. */
  | { readonly type: 'offline'; readonly doneBytes: number; readonly totalBytes: number }
  /** A command that was typed into a terminal has ended. */
  | ({ readonly type: 'command' } & CommandEnd)
  | { readonly type: 'machine-failed'; readonly error: ErrorData }
  /** A machine could not go on from what was stored of it: it began anew, with the files. */
  | { readonly type: 'memory-refused'; readonly error: ErrorData }
  /** A program listens on a port of a sandbox whose ports are seen by URL, or does no more. */
  | { readonly type: 'port'; readonly port: number; readonly isOpen: boolean; readonly url: string }
  /** `lost` where the last changes could not be stored, and why. */
  | { readonly type: 'closed'; readonly lost?: ErrorData | undefined }
);

export type EventListener = (event: SandboxEvent) => void;

/** What happens in a sandbox, as it happens. */
export interface EventsFacet {
  /** Calls `listener` with every event after `after` that is still kept, then as they come. Returns how to stop. */
  subscribe(ask: { readonly after: number }, listener: EventListener): Promise<() => void>;
}
