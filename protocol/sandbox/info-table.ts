import { architectures } from '../architecture.ts';
import type {
  CaptureWatch,
  ChangeCounts,
  CommandsReport,
  MachineUsage,
  ReportedCommand,
  SandboxReport,
} from '../sandbox-report.ts';
import {
  absentOr,
  dictionary,
  flag,
  list,
  number,
  optional,
  record,
  type Schema,
  text,
  word,
} from '../schema.ts';
import type { InfoFacet } from './info.ts';
import { exitReasons } from './processes.ts';
import type { Table } from './row.ts';
import {
  diskHolders,
  groupLimits,
  isolations,
  runtimeNames,
  type SandboxInfo,
  type StorageInfo,
  type UnsavedFiles,
} from './sandbox-info.ts';
import { errorCode, errorData, noFields, objectId } from './schemas.ts';

export const sandboxInfo: Schema<SandboxInfo> = record<SandboxInfo>({
  id: text,
  name: text,
  image: text,
  imageDigest: text,
  architecture: absentOr(word(...architectures)),
  memoryMiB: number,
  diskMiB: number,
  cpuShares: absentOr(number),
  pids: absentOr(number),
  cpus: absentOr(number),
  ioMiBps: absentOr(number),
  notHeld: optional(list(word(...groupLimits))),
  network: absentOr(word('isolated', 'full')),
  allow: optional(list(text)),
  runtime: word(...runtimeNames),
  createdAtMs: number,
  cwd: optional(text),
  ignore: optional(list(text)),
  metadata: optional(dictionary(text, text)),
  expiresAtMs: optional(number),
  nested: optional(flag),
  isolation: optional(word(...isolations)),
  diskHeldBy: optional(word(...diskHolders)),
  unsaved: optional(record<UnsavedFiles>({ sinceMs: number, code: errorCode, message: text })),
});

const storageInfo: Schema<StorageInfo> = record<StorageInfo>({
  storedBytes: number,
  snapshots: number,
  usageBytes: number,
  quotaBytes: number,
  persisted: flag,
  backend: word('opfs', 'idb', 'files', 'memory'),
  stopped: optional(errorData),
});

const sandboxReport: Schema<SandboxReport> = record<SandboxReport>({
  info: sandboxInfo,
  takenAtMs: number,
  openedAtMs: number,
  usage: absentOr(
    record<MachineUsage>({
      cpuMs: absentOr(number),
      memoryBytes: absentOr(number),
      memoryPeakBytes: absentOr(number),
      threads: absentOr(number),
      outOfMemoryKills: absentOr(number),
    }),
  ),
  history: record<SandboxReport['history']>({
    snapshots: number,
    head: absentOr(objectId),
  }),
  capturesStopped: absentOr(errorData),
  watch: absentOr(
    record<CaptureWatch>({
      by: word('fanotify', 'inotify', 'polling'),
      why: absentOr(text),
      watches: absentOr(number),
      limit: absentOr(number),
    }),
  ),
  changes: absentOr(
    record<ChangeCounts>({
      created: number,
      modified: number,
      deleted: number,
      renamed: number,
      metadata: number,
    }),
  ),
  commands: record<CommandsReport>({
    started: number,
    running: number,
    last: list(
      record<ReportedCommand>({
        command: text,
        startedAtMs: number,
        durationMs: number,
        exitCode: absentOr(number),
        signal: absentOr(text),
        reason: absentOr(word(...exitReasons)),
        cpuMs: absentOr(number),
        maxRssBytes: absentOr(number),
      }),
    ),
  }),
});

export const infoTable: Table<InfoFacet> = {
  get: { access: 'read', ask: noFields, gives: 'json', answer: sandboxInfo },
  storage: { access: 'read', ask: noFields, gives: 'json', answer: storageInfo },
  report: { access: 'read', ask: noFields, gives: 'json', answer: sandboxReport },
};
