import { isObject } from '../../protocol/schema.ts';
import type { RecordingHeader } from './recording-header.ts';

/** The header as the first line of the file, without its line feed. */
export function encodeHeader(header: RecordingHeader): string {
  const { columns, rows, beginMs, title, command, env, coppice, rest = {} } = header;
  const { term, ...others } = rest;
  return JSON.stringify({
    version: 3,
    term: { cols: columns, rows, ...(isObject(term) ? term : {}) },
    timestamp: Math.floor(beginMs / 1_000),
    ...(command === undefined ? {} : { command }),
    ...(title === undefined ? {} : { title }),
    ...(env === undefined ? {} : { env }),
    ...others,
    coppice: { ...coppice, beginMs },
  });
}
