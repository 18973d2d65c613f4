import {
  closed,
  count,
  flag,
  number,
  optional,
  record,
  type Schema,
  text,
  variants,
  word,
} from '../schema.ts';
import type { EventsFacet, SandboxEvent } from './events.ts';
import { snapshotInfo } from './history-table.ts';
import type { Progress } from './progress.ts';
import type { Table } from './row.ts';
import { changeSummary, errorData, objectId } from './schemas.ts';

export const progress: Schema<Progress> = record<Progress>({
  stage: word('download', 'restore', 'boot', 'unpack', 'checkout', 'workspace', 'git', 'ready'),
  doneBytes: number,
  totalBytes: number,
  elapsedMs: number,
  text: optional(text),
});

const seq = count(Number.MAX_SAFE_INTEGER);

export const sandboxEvent: Schema<SandboxEvent> = variants<SandboxEvent>({
  progress: record({ seq, progress }),
  ready: record({ seq }),
  snapshot: record({ seq, snapshot: snapshotInfo, head: objectId }),
  head: record({ seq, head: objectId }),
  history: record({ seq }),
  pending: record({ seq, pending: changeSummary }),
  checkpoints: record({ seq }),
  'capture-stopped': record({ seq, error: errorData }),
  'capture-resumed': record({ seq }),
  offline: record({ seq, doneBytes: number, totalBytes: number }),
  command: record({ seq, command: text, exitCode: number }),
  'machine-failed': record({ seq, error: errorData }),
  'memory-refused': record({ seq, error: errorData }),
  port: record({ seq, port: count(65_535), isOpen: flag, url: text }),
  closed: record({ seq, lost: optional(errorData) }),
});

/** Whether this version knows the type of an event: those of a newer peer are skipped. */
export function knowsEvent({ type }: SandboxEvent): boolean {
  return sandboxEvent.types?.includes(type) === true;
}

export const eventsTable: Table<EventsFacet> = {
  subscribe: { access: 'read', ask: closed({ after: seq }), gives: 'subscription' },
};
