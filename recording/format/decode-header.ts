import { SandboxError } from '../../protocol/errors.ts';
import { objectId } from '../../protocol/sandbox/schemas.ts';
import {
  absentOr,
  count,
  flag,
  isObject,
  list,
  mismatch,
  number,
  record,
  type Schema,
  text,
} from '../../protocol/schema.ts';
import { coverageParts } from '../../tree/history/snapshot-record.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';
import { boundSize, parseJson } from './decode-event.ts';
import { shallow } from './event-schema.ts';
import { type RecordedSandbox, type RecordingHeader, recordingVersion } from './recording-header.ts';

/** The header of an asciicast. In version 2, times of events count from the beginning; in 3, from the event before. */
export interface DecodedHeader {
  readonly version: 2 | 3;
  readonly header: RecordingHeader;
}

const line = 1;

/** @throws invalid-argument, version-mismatch for a file of a newer version, unsupported for asciicast v1 */
export function decodeHeader(firstLine: string): DecodedHeader {
  const value = parseJson(firstLine, line);
  if (!isObject(value)) throw refuseRecording('it is no header of an asciicast', { line });
  const { version } = value;
  if (version !== 2 && version !== 3) throw refuseVersion(version);
  try {
    shallow(value, 'header');
    return { version, header: version === 3 ? decodeThird(value) : decodeSecond(value) };
  } catch (error) {
    const { code, details } = SandboxError.from(error);
    if (code !== 'protocol-violation') throw error;
    throw refuseRecording(`it has something else than ${details.expected} as ${details.where}`, { line });
  }
}

function decodeThird(value: Record<string, unknown>): RecordingHeader {
  const { version: _, term, timestamp, title, command, env, coppice, ...rest } = value;
  if (!isObject(term)) throw mismatch('term', 'an object');
  const { cols, rows, ...restOfTerm } = term;
  const hasRest = Object.keys(rest).length + Object.keys(restOfTerm).length > 0;
  return {
    ...sizeOf(cols, rows),
    ...commonOf({ timestamp, title, command, env, coppice }),
    ...(hasRest
      ? { rest: { ...rest, ...(Object.keys(restOfTerm).length > 0 ? { term: restOfTerm } : {}) } }
      : {}),
  };
}

/** Of version 2, which has the size and the theme beside everything else. */
function decodeSecond(value: Record<string, unknown>): RecordingHeader {
  const { version: _, width, height, timestamp, title, command, env, theme, coppice: __, ...rest } = value;
  const all = { ...rest, ...(theme === undefined ? {} : { term: { theme } }) };
  return {
    ...sizeOf(width, height),
    ...commonOf({ timestamp, title, command, env, coppice: undefined }),
    ...(Object.keys(all).length > 0 ? { rest: all } : {}),
  };
}

function commonOf({
  timestamp,
  title,
  command,
  env,
  coppice,
}: Record<'timestamp' | 'title' | 'command' | 'env' | 'coppice', unknown>): Omit<
  RecordingHeader,
  'columns' | 'rows' | 'rest'
> {
  const { beginMs, ...sandbox } = coppice === undefined ? foreign : sandboxOf(coppice);
  return {
    beginMs: absentOr(number)(beginMs, 'coppice.beginMs') ?? secondsOf(timestamp) * 1_000,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof command === 'string' ? { command } : {}),
    ...(isObject(env) ? { env: environmentOf(env) } : {}),
    coppice: sandbox,
  };
}

/** What is said of an asciicast that Coppice did not write. */
const foreign: RecordedSandbox & { beginMs?: unknown } = {
  recording: recordingVersion,
  generator: 'asciicast',
  source: 'asciicast',
};

const covered: Schema<unknown> = record<{ captured: boolean }>({
  captured: (value, where) => {
    if (typeof value !== 'boolean') throw mismatch(where, 'true or false');
    return value;
  },
});

const coverage: Schema<RecordedSandbox['coverage']> = (value, where) => {
  if (!isObject(value)) throw mismatch(where, 'an object');
  for (const part of coverageParts) if (Object.hasOwn(value, part)) covered(value[part], `${where}.${part}`);
  return value as RecordedSandbox['coverage'];
};

const sandboxSchema: Schema<RecordedSandbox> = record<RecordedSandbox>({
  recording: () => recordingVersion,
  generator: text,
  sandbox: absentOr(text),
  runtime: absentOr(text),
  architecture: absentOr(text),
  image: absentOr(
    record({
      name: text,
      digest: text,
      tree: absentOr(objectId),
      isHeld: absentOr(flag),
      url: absentOr(text),
    }),
  ),
  memoryMiB: absentOr(count(Number.MAX_SAFE_INTEGER)),
  diskMiB: absentOr(count(Number.MAX_SAFE_INTEGER)),
  begin: absentOr(objectId),
  coverage: absentOr(coverage as Schema<NonNullable<RecordedSandbox['coverage']>>),
  omitted: absentOr(list(text, { most: recordingLimits.omittedSentences })),
  source: absentOr(text),
});

function sandboxOf(value: unknown): RecordedSandbox & { beginMs?: unknown } {
  if (!isObject(value)) throw mismatch('coppice', 'an object');
  const { recording } = value;
  if (typeof recording !== 'number' || !Number.isInteger(recording) || recording < 1)
    throw mismatch('coppice.recording', 'a version');
  if (recording > recordingVersion) {
    throw refuseRecording(
      `it has version ${recording}, of a newer Coppice; this one reads up to version ${recordingVersion}`,
      { code: 'version-mismatch' },
    );
  }
  return sandboxSchema(value, 'coppice');
}

function sizeOf(columns: unknown, rows: unknown): { columns: number; rows: number } {
  const whole: Schema<number> = count(Number.MAX_SAFE_INTEGER);
  return boundSize(whole(columns, 'columns'), whole(rows, 'rows'));
}

function secondsOf(timestamp: unknown): number {
  return typeof timestamp === 'number' && Math.abs(timestamp) < 8.64e12 ? timestamp : 0;
}

/** Others write numbers among them. */
function environmentOf(env: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([name, value]) => name !== '__proto__' && typeof value === 'string',
  );
  return Object.fromEntries(entries.slice(0, recordingLimits.environmentNames)) as Record<string, string>;
}

function refuseVersion(version: unknown): SandboxError {
  if (version === 1)
    return refuseRecording('asciicast v1 is one JSON object; convert it to version 2 or 3 first', {
      code: 'unsupported',
    });
  if (typeof version === 'number' && version > 3)
    return refuseRecording(`it is asciicast version ${version}, and versions 2 and 3 are read`, {
      code: 'version-mismatch',
    });
  return refuseRecording('it is no header of an asciicast', { line });
}
