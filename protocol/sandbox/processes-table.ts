import { limits } from '../limits.ts';
import {
  absentOr,
  closed,
  dictionary,
  either,
  flag,
  integer,
  list,
  number,
  oneOf,
  optional,
  record,
  type Schema,
  text,
  textUpTo,
  word,
} from '../schema.ts';
import {
  type ChangedFiles,
  type CommandLimits,
  type ExecRequest,
  type ExitStatus,
  exitReasons,
  type ProcessesFacet,
} from './processes.ts';
import type { Table } from './row.ts';
import { argument, errorData, path } from './schemas.ts';

export const terminalSize: { readonly columns: Schema<number>; readonly rows: Schema<number> } = {
  columns: integer(1, 65_535),
  rows: integer(1, 65_535),
};

export const processStarted: Schema<{ readonly pid: number }> = record({ pid: number });

export const exitStatus: Schema<ExitStatus> = record<ExitStatus>({
  exitCode: number,
  signal: optional(text),
  reason: word(...exitReasons),
  durationMs: number,
  cpuMs: number,
  maxRssBytes: number,
  limit: optional(textUpTo(limits.limitNameLength)),
  missing: optional(list(textUpTo(limits.missingProgramCharacters), { most: limits.missingPrograms })),
  files: record<ChangedFiles>({ created: list(text), modified: list(text), deleted: list(text) }),
  unsaved: optional(errorData),
});

const most = limits.commandLimits;
const commandLimits: Schema<CommandLimits> = closed<CommandLimits>({
  commands: absentOr(integer(1, most.commands)),
  loopIterations: absentOr(integer(1, most.loopIterations)),
  callDepth: absentOr(integer(1, most.callDepth)),
  hereDocumentBytes: absentOr(integer(1, most.hereDocumentBytes)),
});

const execRequest: Schema<ExecRequest> = closed<ExecRequest>({
  command: either(argument, list(argument, { least: 1, most: limits.execArgumentBytes })),
  cwd: absentOr(path),
  envs: absentOr(dictionary(argument, argument)),
  user: absentOr(oneOf('user', 'root')),
  pty: absentOr(closed(terminalSize)),
  stdin: absentOr(flag),
  clearsAway: absentOr(flag),
  limits: absentOr(commandLimits),
});

/** A command can change anything. */
export const processesTable: Table<ProcessesFacet> = {
  exec: { access: 'run', ask: execRequest, gives: 'process' },
};
