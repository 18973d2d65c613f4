import { SandboxError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/schema.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';
import { coppiceEvent, knownEvents } from './event-schema.ts';
import { firstTerminal, type RecordingEvent } from './recording-event.ts';

/** An event of an asciicast as its line has it. `time`: since the event before, or in version 2 since the beginning, in seconds. */
export interface DecodedLine {
  readonly time: number;
  readonly event: RecordingEvent;
}

/** @throws invalid-argument for a line that is no event */
export function decodeEventLine(text: string, line: number): DecodedLine {
  const value = parseJson(text, line);
  if (!Array.isArray(value)) throw refuseRecording('it is no list of a time, a code and data', { line });
  const [time, code, data] = value;
  if (typeof time !== 'number' || !Number.isFinite(time) || typeof code !== 'string')
    throw refuseRecording('it does not begin with a time and a code', { line });
  return {
    time,
    event: decodeEvent(code, typeof data === 'string' ? data : JSON.stringify(data ?? ''), line),
  };
}

/** @throws invalid-argument */
export function decodeEvent(code: string, data: string, line: number): RecordingEvent {
  const terminal = firstTerminal;
  switch (code) {
    case 'o':
      return { type: 'output', terminal, data };
    case 'i':
      return { type: 'input', terminal, data };
    case 'r':
      return { type: 'resize', terminal, ...sizeOf(data, line) };
    case 'm':
      return { type: 'marker', label: data };
    case 'x':
      return { type: 'end', exitCode: exitCodeOf(data, line) };
    case 'C':
      return decodeCoppice(data, line);
    default:
      return { type: 'unknown', code, data };
  }
}

/** @throws invalid-argument with where in the file it is */
export function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The text of the error quotes the line.
    throw refuseRecording('it is no JSON', { line, cause: error });
  }
}

function decodeCoppice(data: string, line: number): RecordingEvent {
  const value = parseJson(data, line);
  if (!isObject(value) || typeof value.type !== 'string')
    throw refuseRecording('its JSON is no object with a type', { line });
  if (!knownEvents.has(value.type)) return { type: 'unknown', code: 'C', data };
  let event: RecordingEvent;
  try {
    event = coppiceEvent(value, value.type);
  } catch (error) {
    const { where, expected } = SandboxError.from(error).details;
    throw refuseRecording(`it has something else than ${expected} as ${where}`, { line });
  }
  return 'columns' in event ? { ...event, ...boundSize(event.columns, event.rows) } : event;
}

function sizeOf(data: string, line: number): { columns: number; rows: number } {
  const [, columns, rows] = /^(\d{1,9})x(\d{1,9})$/.exec(data) ?? [];
  if (columns === undefined || rows === undefined)
    throw refuseRecording('it has a size that is not like 80x24', { line });
  return boundSize(Number(columns), Number(rows));
}

/** A size that a terminal may have: what a file says may be any number. */
export function boundSize(columns: number, rows: number): { columns: number; rows: number } {
  return {
    columns: Math.min(Math.max(1, columns), recordingLimits.columns),
    rows: Math.min(Math.max(1, rows), recordingLimits.rows),
  };
}

function exitCodeOf(data: string, line: number): number {
  if (!/^-?\d{1,10}$/.test(data))
    throw refuseRecording('it ends with something else than an exit code', { line });
  return Number(data);
}
