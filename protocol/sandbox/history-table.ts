import {
  type Cause,
  type Coverage,
  coverageParts,
  type Extension,
  type SnapshotId,
} from '../../tree/history/snapshot-record.ts';
import { limits } from '../limits.ts';
import {
  absentOr,
  closed,
  count,
  dictionary,
  flag,
  isObject,
  list,
  mismatch,
  nothing,
  number,
  oneOf,
  optional,
  record,
  type Schema,
  text,
  variants,
  word,
} from '../schema.ts';
import type {
  ApplyOptions,
  ApplyResult,
  Change,
  CheckoutResult,
  HistoryFacet,
  HistoryView,
  KeepPolicy,
  MergeConflict,
  MergeResult,
  PruneOptions,
  PruneResult,
  SnapshotInfo,
  SnapshotOptions,
} from './history.ts';
import { sandboxInfo } from './info-table.ts';
import type { Table } from './row.ts';
import {
  changeSummary,
  errorData,
  name,
  noFields,
  objectId,
  path,
  treeOrSnapshot,
  treeRef,
} from './schemas.ts';

const changes: Schema<Change[]> = list(
  record<Change>({
    type: word('created', 'modified', 'deleted', 'renamed', 'metadata'),
    path: text,
    // Absent or text; `undefined` never crosses as a value.
    from: absentOr(text),
    sizeBytes: number,
    isDirectory: absentOr(flag),
  }),
);

const cause: Schema<Cause> = variants<Cause>({
  image: record({ image: text }),
  capture: record({ commands: list(text), runs: absentOr(list(text)) }),
  manual: record({ label: text }),
  checkout: record({ from: text }),
  fork: record({ sandbox: text }),
  import: record({ source: text }),
});

const coverage: Schema<Coverage> = (value, where) => {
  for (const part of coverageParts) {
    const told = isObject(value) ? value[part] : undefined;
    if (!isObject(told)) throw mismatch(`${where}.${part}`, 'an object');
    if (flag(told.captured, `${where}.${part}`)) optional(text)(told.renewed, `${where}.${part}.renewed`);
    else text(told.why, `${where}.${part}.why`);
  }
  return value as Coverage;
};

export const snapshotInfo: Schema<SnapshotInfo> = record<SnapshotInfo>({
  id: objectId,
  tags: list(text),
  tree: objectId,
  memory: optional(objectId),
  parents: list(objectId),
  cause,
  coverage,
  changes: changeSummary,
  takenAtMs: number,
  extensions: absentOr(dictionary(text, record<Extension>({ text, objects: list(objectId) }))),
});

const historyView: Schema<HistoryView> = record<HistoryView>({
  snapshots: list(snapshotInfo),
  head: objectId,
  pending: changeSummary,
  retention: absentOr(record<KeepPolicy>({ last: number, hourly: number, daily: number })),
});

export const checkoutResult: Schema<CheckoutResult> = record<CheckoutResult>({
  head: objectId,
  previousHead: objectId,
  checkpoint: optional(number),
  unkept: optional(errorData),
});

const mergeConflict: Schema<MergeConflict> = record<MergeConflict>({
  path: text,
  kind: word('content', 'added', 'deleted-by-us', 'deleted-by-them', 'type', 'metadata'),
});

const mergeResult: Schema<MergeResult> = record<MergeResult>({
  head: objectId,
  previousHead: objectId,
  checkpoint: optional(number),
  unkept: optional(errorData),
  outcome: word('merged', 'fast-forward', 'up-to-date'),
  base: objectId,
  settled: list(mergeConflict),
});

const applyResult: Schema<ApplyResult> = record<ApplyResult>({
  head: objectId,
  previousHead: objectId,
  checkpoint: optional(number),
  unkept: optional(errorData),
  settled: list(mergeConflict),
});

const kept = count(limits.keepPolicy);
const keepPolicy: Schema<KeepPolicy> = closed<KeepPolicy>({ last: kept, hourly: kept, daily: kept });

const oneSnapshot = closed<{ id: SnapshotId }>({ id: objectId });

export const historyTable: Table<HistoryFacet> = {
  get: { access: 'read', ask: noFields, gives: 'json', answer: historyView },
  createSnapshot: {
    access: 'write',
    ask: closed<SnapshotOptions>({
      label: optional(path),
      ifChanged: optional(flag),
      memory: optional(flag),
    }),
    gives: 'json',
    answer: snapshotInfo,
  },
  checkout: {
    access: 'write',
    ask: closed({ id: objectId, discard: optional(flag) }),
    gives: 'json',
    answer: checkoutResult,
  },
  merge: {
    access: 'write',
    ask: closed({ id: objectId, label: optional(path), prefer: optional(oneOf('ours', 'theirs')) }),
    gives: 'json',
    answer: mergeResult,
  },
  applyChanges: {
    access: 'write',
    ask: closed<ApplyOptions>({
      changes: list(closed({ from: objectId, to: objectId }), { least: 1, most: limits.appliedChanges }),
      onto: list(objectId, { least: 1, most: limits.appliedChanges }),
      label: optional(path),
      prefer: optional(oneOf('ours', 'theirs')),
    }),
    gives: 'json',
    answer: applyResult,
  },
  // It makes another sandbox, which a token for some sandboxes could not use.
  fork: {
    access: 'write',
    scope: 'all',
    ask: closed({ id: objectId, name: optional(name) }),
    gives: 'json',
    answer: sandboxInfo,
  },
  diff: {
    access: 'read',
    ask: closed({ from: treeRef, to: treeOrSnapshot }),
    gives: 'json',
    answer: changes,
  },
  setTag: { access: 'write', ask: closed({ name, id: optional(objectId) }), gives: 'json', answer: nothing },
  deleteSnapshot: { access: 'write', ask: oneSnapshot, gives: 'json', answer: nothing },
  prune: {
    access: 'write',
    ask: closed<PruneOptions>({ policy: optional(keepPolicy), dryRun: optional(flag) }),
    gives: 'json',
    answer: record<PruneResult>({ forgotten: list(objectId), kept: number, freedBytes: number }),
  },
  setRetention: {
    access: 'write',
    ask: closed({ policy: optional(keepPolicy) }),
    gives: 'json',
    answer: nothing,
  },
  collectGarbage: { access: 'write', ask: noFields, gives: 'json', answer: number },
  settle: { access: 'write', ask: noFields, gives: 'json', answer: nothing },
};
