import type { Checkpoint, CheckpointCause, CheckpointList, CheckpointOptions } from '../checkpoint.ts';
import { limits } from '../limits.ts';
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

const checkpointCause = variants<CheckpointCause>({
  command: record({ command: text }),
  interval: record({}),
  'before-restore': record({}),
});

const checkpointList: Schema<CheckpointList> = record<CheckpointList>({
  checkpoints: list(
    record<Checkpoint>({ id: number, takenAtMs: number, cause: checkpointCause, head: objectId }),
  ),
  usedBytes: number,
  budgetBytes: number,
  tracking: word('marks', 'comparison'),
  perSecond: number,
});

export const checkpointsTable: Table<CheckpointsFacet> = {
  list: { access: 'read', ask: noFields, gives: 'json', answer: checkpointList },
  configure: {
    access: 'write',
    ask: closed<CheckpointOptions>({ perSecond: numberUpTo(limits.checkpointsPerSecond.max, { from: 0 }) }),
    gives: 'json',
    answer: nothing,
  },
  terminalOutput: { access: 'read', ask: closed({ checkpoint: uint32, pid: uint32 }), gives: 'bytes' },
  restore: {
    access: 'write',
    ask: closed({ id: uint32 }),
    gives: 'json',
    answer: record({ head: objectId, previous: optional(number) }),
  },
};
