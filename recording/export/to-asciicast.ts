import { firstTerminal, type RecordingEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import type { SessionStream } from '../format/session-stream.ts';

/**
 * The first terminal as an asciicast that has nothing of ours in it, by lines: output, what was typed, sizes, markers, the end.
 * Version 2 has no code for the end.
 */
export async function* toAsciicast(
  { header, events }: SessionStream,
  { version }: { readonly version: 2 | 3 },
): AsyncGenerator<string> {
  yield `${JSON.stringify(headerOf(header, version))}\n`;
  let lastMs = 0;
  for await (const { at, event } of events()) {
    const told = codeOf(event);
    if (!told || (version === 2 && told[0] === 'x')) continue;
    const ms = Math.round(at * 1_000);
    const time = (version === 2 ? ms : ms - lastMs) / 1_000;
    lastMs = ms;
    yield `${JSON.stringify([time, ...told])}\n`;
  }
}

function headerOf({ columns, rows, beginMs, title, command, env }: RecordingHeader, version: 2 | 3): object {
  const size = version === 2 ? { width: columns, height: rows } : { term: { cols: columns, rows } };
  return {
    version,
    ...size,
    ...(beginMs > 0 ? { timestamp: Math.floor(beginMs / 1_000) } : {}),
    ...(title === undefined ? {} : { title }),
    ...(command === undefined ? {} : { command }),
    ...(env === undefined ? {} : { env }),
  };
}

function codeOf(event: RecordingEvent): readonly [code: string, data: string] | undefined {
  switch (event.type) {
    case 'output':
      return event.terminal === firstTerminal ? ['o', event.data] : undefined;
    case 'input':
      return event.terminal === firstTerminal ? ['i', event.data] : undefined;
    case 'resize':
      return event.terminal === firstTerminal ? ['r', `${event.columns}x${event.rows}`] : undefined;
    case 'marker':
      return ['m', event.label];
    case 'end':
      return ['x', String(event.exitCode)];
    default:
      return undefined;
  }
}
