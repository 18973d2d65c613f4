import { limits } from '../limits.ts';
import type { Moment, MomentCause, RecordingOptions, RecordingView } from '../recording.ts';
import {
  closed,
  list,
  nothing,
  number,
  numberUpTo,
  optional,
  record,
  type Schema,
  text,
  variants,
  word,
} from '../schema.ts';
import type { CheckpointsFacet } from './checkpoints.ts';
import type { Table } from './row.ts';
import { noFields, objectId, uint32 } from './schemas.ts';

const momentCause = variants<MomentCause>({
  command: record({ command: text }),
  interval: record({}),
  left: record({}),
});

const recordingView: Schema<RecordingView> = record<RecordingView>({
  moments: list(record<Moment>({ id: number, takenAtMs: number, cause: momentCause, head: objectId })),
  usedBytes: number,
  budgetBytes: number,
  tracking: word('marks', 'comparison'),
  perSecond: number,
});

export const checkpointsTable: Table<CheckpointsFacet> = {
  list: { access: 'read', ask: noFields, gives: 'json', answer: recordingView },
  configure: {
    access: 'write',
    ask: closed<RecordingOptions>({ perSecond: numberUpTo(limits.recordingPerSecond.max, { from: 0 }) }),
    gives: 'json',
    answer: nothing,
  },
  terminalOutput: { access: 'read', ask: closed({ moment: uint32, pid: uint32 }), gives: 'bytes' },
  restore: {
    access: 'write',
    ask: closed({ id: uint32 }),
    gives: 'json',
    answer: record({ head: objectId, left: optional(number) }),
  },
};
