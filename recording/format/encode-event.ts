import { firstTerminal, type RecordingEvent } from './recording-event.ts';

/** An event as a line of the file, without its line feed; `intervalMs` after the one before. */
export function encodeEvent(event: RecordingEvent, intervalMs: number): string {
  const [code, data] = codeOf(event);
  return JSON.stringify([intervalMs / 1_000, code, data.toWellFormed()]);
}

/** The code of an event in an asciicast, and its data. */
export function codeOf(event: RecordingEvent): [code: string, data: string] {
  switch (event.type) {
    case 'output':
      if (event.terminal === firstTerminal) return ['o', event.data];
      break;
    case 'input':
      if (event.terminal === firstTerminal) return ['i', event.data];
      break;
    case 'resize':
      if (event.terminal === firstTerminal) return ['r', `${event.columns}x${event.rows}`];
      break;
    case 'marker':
      return ['m', event.label];
    case 'end':
      return ['x', String(event.exitCode)];
    case 'unknown':
      return [event.code, event.data];
  }
  return ['C', JSON.stringify(event)];
}
