import {
  type Cause,
  type ChangeSummary,
  type Coverage,
  coverageParts,
  type SnapshotId,
} from '../../tree/history/snapshot-record.ts';
import { type Architecture, architectures } from '../architecture.ts';
import { type ErrorCode, type ErrorData, errorTable } from '../errors.ts';
import type { NetworkFlow, NetworkLog } from '../network-log.ts';
import type { Moment, MomentCause, RecordingView } from '../recording.ts';
import {
  type Change,
  type ChangedFiles,
  diskHolders,
  type ExitStatus,
  exitReasons,
  type FileInfo,
  groupLimits,
  type HistoryView,
  type HostImage,
  isolations,
  type Network,
  type Progress,
  type SandboxEvent,
  type SandboxInfo,
  type SnapshotInfo,
  type StorageInfo,
  type UnsavedFiles,
} from '../sandbox.ts';
import type {
  ChangeCounts,
  CommandsReport,
  MachineUsage,
  ReportedCommand,
  SandboxReport,
} from '../sandbox-report.ts';
import { violation } from './frame.ts';
import {
  count,
  flag,
  isObject,
  list,
  number,
  oneOf,
  optional,
  record,
  type Shape,
  text,
  variants,
} from './shape.ts';

const isId = /^[0-9a-f]{64}$/;

/** 64 lower-case hex digits. */
const objectId: Shape<SnapshotId> = (value, where) => {
  if (typeof value !== 'string' || !isId.test(value)) throw violation(`no object id as ${where}`);
  return value as SnapshotId;
};

const errorCode: Shape<ErrorCode> = (value, where) => {
  if (!Object.hasOwn(errorTable, text(value, where))) throw violation(`an unknown error code as ${where}`);
  return value as ErrorCode;
};

const errorData: Shape<ErrorData> = record<ErrorData>({
  code: errorCode,
  message: text,
  details: record({}),
});

const labels: Shape<Readonly<Record<string, string>>> = (value, where) => {
  if (!isObject(value)) throw violation(`no labels as ${where}`);
  for (const [key, label] of Object.entries(value)) text(label, `${where}.${key}`);
  return value as Readonly<Record<string, string>>;
};

export const sandboxInfo: Shape<SandboxInfo> = record<SandboxInfo>({
  id: text,
  name: text,
  image: text,
  imageDigest: text,
  architecture: optional(oneOf(...architectures)) as Shape<Architecture>,
  memoryMiB: number,
  diskMiB: number,
  // Absent or a value; `undefined` never crosses as one.
  cpuShares: optional(number) as Shape<number>,
  pids: optional(number) as Shape<number>,
  cpus: optional(number) as Shape<number>,
  ioMiBps: optional(number) as Shape<number>,
  notHeld: optional(list(oneOf(...groupLimits))),
  network: optional(oneOf('isolated', 'full')) as Shape<Network>,
  runtime: oneOf('v86', 'shell', 'webcontainer', 'jail', 'vm', 'oci'),
  createdAtMs: number,
  cwd: optional(text),
  metadata: optional(labels),
  expiresAtMs: optional(number),
  nested: optional(flag),
  isolation: optional(oneOf(...isolations)),
  diskHeldBy: optional(oneOf(...diskHolders)),
  unsaved: optional(record<UnsavedFiles>({ sinceMs: number, code: errorCode, message: text })),
});

export const hostImages: Shape<HostImage[]> = list(
  record<HostImage>({ name: text, digest: objectId, architecture: oneOf(...architectures), isDefault: flag }),
);

export const sandboxInfos: Shape<SandboxInfo[]> = list(sandboxInfo);

export const networkLog: Shape<NetworkLog> = record<NetworkLog>({
  flows: list(
    record<NetworkFlow>({
      id: number,
      type: oneOf('connection', 'question'),
      startedAtMs: number,
      // Absent or a value; `undefined` never crosses as one.
      name: optional(text) as Shape<string>,
      address: optional(text) as Shape<string>,
      port: optional(number) as Shape<number>,
      verdict: oneOf('allowed', 'denied', 'failed'),
      why: optional(text) as Shape<string>,
      sentBytes: optional(number) as Shape<number>,
      receivedBytes: optional(number) as Shape<number>,
      durationMs: optional(number) as Shape<number>,
    }),
  ),
  forgotten: number,
});

export const fileInfo: Shape<FileInfo> = record<FileInfo>({
  path: text,
  name: text,
  type: oneOf('file', 'directory', 'symlink', 'device', 'fifo', 'socket'),
  mode: number,
  uid: number,
  gid: number,
  sizeBytes: number,
  modifiedAtMs: number,
  target: optional(text),
});

export const fileInfos: Shape<FileInfo[]> = list(fileInfo);

export const changes: Shape<Change[]> = list(
  record<Change>({
    type: oneOf('created', 'modified', 'deleted', 'renamed', 'metadata'),
    path: text,
    // Absent or text; `undefined` never crosses as a value.
    from: optional(text) as Shape<string>,
    sizeBytes: number,
    isDirectory: optional(flag) as Shape<boolean>,
  }),
);

const changeSummary = record<ChangeSummary>({
  created: number,
  modified: number,
  deleted: number,
  paths: list(text),
});

const cause: Shape<Cause> = variants<Cause>({
  image: record({ image: text }),
  // `undefined` never crosses as a value.
  capture: record({ commands: list(text), runs: optional(list(text)) as Shape<string[]> }),
  manual: record({ label: text }),
  checkout: record({ from: text }),
  fork: record({ sandbox: text }),
  import: record({ source: text }),
});

const coverage: Shape<Coverage> = (value, where) => {
  for (const part of coverageParts) {
    const told = isObject(value) ? value[part] : undefined;
    if (!isObject(told)) throw violation(`no coverage of ${part} as ${where}`);
    if (flag(told.captured, `${where}.${part}`)) optional(text)(told.renewed, `${where}.${part}.renewed`);
    else text(told.why, `${where}.${part}.why`);
  }
  return value as Coverage;
};

export const snapshotInfo: Shape<SnapshotInfo> = record<SnapshotInfo>({
  id: objectId,
  tags: list(text),
  tree: objectId,
  memory: optional(objectId),
  parents: list(objectId),
  cause,
  coverage,
  changes: changeSummary,
  takenAtMs: number,
});

export const historyView: Shape<HistoryView> = record<HistoryView>({
  snapshots: list(snapshotInfo),
  head: objectId,
  pending: changeSummary,
});

export const checkoutResult: Shape<{ head: SnapshotId; left: SnapshotId }> = record({
  head: objectId,
  left: objectId,
});

const momentCause = variants<MomentCause>({
  command: record({ command: text }),
  interval: record({}),
  left: record({}),
});

export const recordingView: Shape<RecordingView> = record<RecordingView>({
  moments: list(record<Moment>({ id: number, takenAtMs: number, cause: momentCause, head: objectId })),
  usedBytes: number,
  budgetBytes: number,
  tracking: oneOf('marks', 'comparison'),
  perSecond: number,
});

export const goToResult: Shape<{ head: SnapshotId; left: number | undefined }> = record({
  head: objectId,
  left: optional(number),
});

export const storageInfo: Shape<StorageInfo> = record<StorageInfo>({
  storedBytes: number,
  snapshots: number,
  usageBytes: number,
  quotaBytes: number,
  persisted: flag,
  backend: oneOf('opfs', 'idb', 'files', 'memory'),
  stopped: optional(errorData),
});

export const sandboxReport: Shape<SandboxReport> = record<SandboxReport>({
  info: sandboxInfo,
  takenAtMs: number,
  openedAtMs: number,
  usage: optional(
    record<MachineUsage>({
      cpuMs: optional(number) as Shape<number>,
      memoryBytes: optional(number) as Shape<number>,
      memoryPeakBytes: optional(number) as Shape<number>,
      threads: optional(number) as Shape<number>,
      outOfMemoryKills: optional(number) as Shape<number>,
    }),
  ) as Shape<MachineUsage>,
  history: record<SandboxReport['history']>({
    snapshots: number,
    head: optional(objectId) as Shape<SnapshotId>,
  }),
  capturesStopped: optional(errorData) as Shape<ErrorData>,
  changes: optional(
    record<ChangeCounts>({
      created: number,
      modified: number,
      deleted: number,
      renamed: number,
      metadata: number,
    }),
  ) as Shape<ChangeCounts>,
  commands: record<CommandsReport>({
    started: number,
    running: number,
    last: list(
      record<ReportedCommand>({
        command: text,
        startedAtMs: number,
        durationMs: number,
        exitCode: optional(number) as Shape<number>,
        signal: optional(text) as Shape<string>,
        reason: optional(oneOf(...exitReasons)) as Shape<ExitStatus['reason']>,
        cpuMs: optional(number) as Shape<number>,
        maxRssBytes: optional(number) as Shape<number>,
      }),
    ),
  }),
});

export const processStarted: Shape<{ readonly pid: number }> = record({ pid: number });

export const progress: Shape<Progress> = record<Progress>({
  stage: oneOf('download', 'restore', 'boot', 'checkout', 'workspace', 'ready'),
  doneBytes: number,
  totalBytes: number,
  elapsedMs: number,
  text: optional(text),
});

export const exitStatus: Shape<ExitStatus> = record<ExitStatus>({
  exitCode: number,
  signal: optional(text),
  reason: oneOf(...exitReasons),
  durationMs: number,
  cpuMs: number,
  maxRssBytes: number,
  files: record<ChangedFiles>({ created: list(text), modified: list(text), deleted: list(text) }),
  unsaved: optional(errorData),
});

export const pieceMissing: Shape<{ readonly missing: readonly string[] }> = record({ missing: list(text) });

const seq = count(Number.MAX_SAFE_INTEGER);

export const sandboxEvent: Shape<SandboxEvent> = variants<SandboxEvent>({
  progress: record({ seq, progress }),
  ready: record({ seq }),
  snapshot: record({ seq, snapshot: snapshotInfo, head: objectId }),
  head: record({ seq, head: objectId }),
  history: record({ seq }),
  pending: record({ seq, pending: changeSummary }),
  recording: record({ seq }),
  'capture-stopped': record({ seq, error: errorData }),
  'capture-resumed': record({ seq }),
  offline: record({ seq, doneBytes: number, totalBytes: number }),
  command: record({ seq, command: text, exitCode: number }),
  'machine-failed': record({ seq, error: errorData }),
  'memory-refused': record({ seq, error: errorData }),
  closed: record({ seq }),
});
