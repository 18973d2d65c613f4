import { throwIfAborted } from '../../protocol/abort.ts';
import { WorkSlices } from '../../tree/next-task.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { plainOutput } from './plain-output.ts';
import type { Found } from './recording.ts';
import type { NumberedEvent, RecordingParts } from './recording-parts.ts';

interface SearchOptions {
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
}

/** Finds a text in all that a recording shows, by reading it from its beginning. */
export async function searchRecording(
  source: RecordingParts,
  text: string,
  { most, signal }: SearchOptions,
): Promise<readonly Found[]> {
  const needle = text.slice(0, recordingLimits.searchCharacters).toLowerCase();
  const found: Found[] = [];
  if (needle === '') return found;
  const outputs = new Map<number, string>();
  const slices = new WorkSlices();
  for (let part = 0; part < source.parts.length && found.length < most; part++) {
    throwIfAborted(signal, 'Cannot search the recording');
    for (const event of await source.read(part)) {
      for (const hit of hitsOf(event, needle, outputs)) if (found.length < most) found.push(hit);
    }
    await slices.end();
  }
  return found;
}

function* hitsOf(numbered: NumberedEvent, needle: string, outputs: Map<number, string>): Generator<Found> {
  const { at, line, event } = numbered;
  if (event.type === 'output') {
    // A text may be in two events: the end of what came before is looked at again, but too short to have all of it.
    const before = outputs.get(event.terminal) ?? '';
    const all = before + plainOutput(event.data);
    yield* inText(all, needle, (excerpt) => ({ at, line, where: 'output', excerpt }));
    outputs.set(event.terminal, all.slice(Math.max(0, all.length - needle.length + 1)));
    return;
  }
  for (const [where, text] of textsOf(event))
    for (const hit of inText(text, needle, (excerpt) => ({ at, line, where, excerpt }))) {
      yield hit;
      break;
    }
}

function* textsOf(event: RecordingEvent): Generator<[Found['where'], string]> {
  if (event.type === 'command') yield ['command', event.text];
  else if (event.type === 'message') yield ['message', event.text];
  else if (event.type === 'note') yield ['note', event.text];
  else if (event.type === 'chapter') yield ['note', event.title];
  else if (event.type === 'call') yield ['call', `${event.tool} ${textOf(event.arguments)}`];
  else if (event.type === 'result') yield ['call', textOf(event.result)];
  else if (event.type === 'snapshot') for (const path of event.changes.paths) yield ['path', path];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Each line of a text that has it, once. */
function* inText(text: string, needle: string, hit: (excerpt: string) => Found): Generator<Found> {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(needle); at >= 0; ) {
    const room = Math.max(0, recordingLimits.foundCharacters - needle.length) >> 1;
    const begin = Math.max(text.lastIndexOf('\n', at) + 1, at - room);
    const end = text.indexOf('\n', at + needle.length);
    const to = Math.min(end < 0 ? text.length : end, at + needle.length + room);
    yield hit(text.slice(begin, to).slice(0, recordingLimits.foundCharacters).trim().toWellFormed());
    at = end < 0 ? -1 : lower.indexOf(needle, end);
  }
}
