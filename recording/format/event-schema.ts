import { changeSummary, objectId } from '../../protocol/sandbox/schemas.ts';
import {
  absentOr,
  count,
  dictionary,
  flag,
  integer,
  list,
  mismatch,
  numberUpTo,
  oneOf,
  record,
  type Schema,
  text,
  textUpTo,
  variants,
  word,
} from '../../protocol/schema.ts';
import { recordingLimits } from '../limits.ts';
import type { RecordingEvent } from './recording-event.ts';

/** Events that are the code `C`: those of the first terminal, markers and the end have codes of an asciicast. */
export type CoppiceEvent = Exclude<RecordingEvent, { readonly type: 'marker' | 'end' | 'unknown' }>;

const later = integer(2, recordingLimits.terminals);
const terminal = integer(1, recordingLimits.terminals);
const command = integer(1, recordingLimits.commands);
const exitCode = integer(-2_147_483_648, 2_147_483_647);
const durationMs = numberUpTo(Number.MAX_SAFE_INTEGER, { from: 0 });
const sha256: Schema<string> = (value, where) => {
  if (!/^[0-9a-f]{64}$/.test(text(value, where))) throw mismatch(where, '64 hexadecimal digits');
  return value as string;
};
const base64: Schema<string> = (value, where) => {
  const most = Math.ceil(recordingLimits.objectsPieceBytes / 3) * 4;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(textUpTo(most)(value, where)) || String(value).length % 4 !== 0)
    throw mismatch(where, 'base64');
  return value as string;
};

/** Any JSON that is not too deep for those who walk over it. */
export const shallow: Schema<unknown> = (value, where) => {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > recordingLimits.depth)
      throw mismatch(where, `JSON of at most ${recordingLimits.depth} levels`);
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return value;
};

const size = { columns: integer(1, 65_535), rows: integer(1, 65_535) };

/** What the JSON of a code `C` has to be. Of a type that is not known, only the type is looked at. */
export const coppiceEvent: Schema<CoppiceEvent> = variants<CoppiceEvent>({
  output: record({ terminal: later, data: text }),
  input: record({ terminal: later, data: text }),
  resize: record({ terminal: later, ...size }),
  terminal: record({ terminal: later, title: text, ...size }),
  'terminal-end': record({ terminal, exitCode: absentOr(exitCode) }),
  keyframe: record({ terminal, ...size, data: text }),
  command: record({
    command,
    text,
    argv: absentOr(list(text, { most: recordingLimits.arguments })),
    cwd: absentOr(text),
    user: absentOr(text),
    by: text,
    terminal,
  }),
  source: record({ command, stream: oneOf('stdout', 'stderr') }),
  'command-end': record({
    command,
    exitCode,
    signal: absentOr(text),
    reason: absentOr(text),
    durationMs,
    output: absentOr(record({ stdout: sha256, stderr: sha256, sizeBytes: count(Number.MAX_SAFE_INTEGER) })),
  }),
  objects: record({ snapshot: objectId, data: base64, isLast: absentOr(flag) }),
  snapshot: record({
    id: objectId,
    parents: list(objectId, { most: 16 }),
    label: text,
    changes: changeSummary,
    takenAtMs: durationMs,
    hasMemory: absentOr(flag),
  }),
  head: record({ id: objectId }),
  call: record({ id: text, tool: text, arguments: shallow, snapshot: absentOr(objectId) }),
  result: record({ id: text, result: shallow, isError: absentOr(flag), snapshot: absentOr(objectId) }),
  message: record({
    role: word('user', 'assistant', 'system', 'thinking'),
    text,
    id: absentOr(text),
    parent: absentOr(text),
    model: absentOr(text),
  }),
  note: record({ text }),
  chapter: record({ title: text }),
  foreign: record({ format: text, line: text }),
  redacted: record({ counts: dictionary(text, count(Number.MAX_SAFE_INTEGER)) }),
});

export const knownEvents: ReadonlySet<string> = new Set(coppiceEvent.types);
