import type { ChangeSummary, SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { ErrorCode, ErrorData } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  closed,
  count,
  either,
  list,
  mismatch,
  number,
  record,
  type Schema,
  text,
  textUpTo,
} from '../schema.ts';
import type { SnapshotRef, TreeRef } from './refs.ts';

/** Linux's PATH_MAX; what the guest would refuse need not reach it. */
export const path: Schema<string> = textUpTo(4_096);
export const name: Schema<string> = textUpTo(1_024);
export const argument: Schema<string> = textUpTo(limits.execArgumentBytes);
export const uint32: Schema<number> = count(0xffff_ffff);

const isId = /^[0-9a-f]{64}$/;

/** 64 lower-case hex digits. */
export const objectId: Schema<SnapshotId> = (value, where) => {
  if (typeof value !== 'string' || !isId.test(value)) throw mismatch(where, 'an id of 64 hex digits');
  return value as SnapshotId;
};

export const snapshotRef: Schema<SnapshotRef> = closed<SnapshotRef>({ sandbox: name, snapshot: name });

export const treeRef: Schema<TreeRef> = (value, where) => (value === 'now' ? value : objectId(value, where));

/** Of an ask without fields. */
export const noFields: Schema<object> = closed<object>({});

/** A code that this version does not know is left as it is: `SandboxError.from` makes it `internal`. */
export const errorCode: Schema<ErrorCode> = text as Schema<ErrorCode>;

export const errorData: Schema<ErrorData> = record<ErrorData>({
  code: errorCode,
  message: text,
  details: record({}),
});

export const changeSummary: Schema<ChangeSummary> = record<ChangeSummary>({
  created: number,
  modified: number,
  deleted: number,
  paths: list(text),
});

export const treeOrSnapshot: Schema<TreeRef | SnapshotRef> = either(treeRef, snapshotRef);
