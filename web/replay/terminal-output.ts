import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { Recording } from '../../recording/read/recording.ts';
import type { OutputBatch, OutputPlace, ScreenAt, ScreenEvent } from '../transports/replay-link.ts';
import { replayLimits } from './limits.ts';

type Source = Pick<Recording, 'events' | 'screenStart' | 'duration' | 'isWhole' | 'reach'>;

/** What a terminal shows at an instant, with what happened at that instant. */
export async function screenAt(
  recording: Source,
  { terminal, at }: { readonly terminal: number; readonly at: number },
): Promise<ScreenAt> {
  const { line: after, paint, columns, rows, at: from } = await recording.screenStart(terminal, at);
  const events: ScreenEvent[] = [{ at: from, type: 'output', data: paint }];
  let characters = paint.length;
  // The end of a range is not in it: a millisecond is the smallest step of time in a recording.
  for await (const { at: then, event } of recording.events({ from, to: at + 0.0005, after })) {
    const told = screenEvent(event, { terminal, at: then });
    if (told === undefined) continue;
    events.push(told);
    characters += told.type === 'output' ? told.data.length : 0;
    for (; characters > replayLimits.screenCharacters; events.shift())
      if (events[0]?.type === 'output') characters -= events[0].data.length;
  }
  return { columns, rows, events: joinOutput(events) };
}

/** One text instead of many, which a terminal takes faster. */
function joinOutput(events: readonly ScreenEvent[]): ScreenEvent[] {
  const joined: ScreenEvent[] = [];
  let texts: string[] = [];
  const end = (at: number): void => {
    if (texts.length > 0) joined.push({ at, type: 'output', data: texts.join('') });
    texts = [];
  };
  for (const event of events) {
    if (event.type === 'output') texts.push(event.data);
    else {
      end(event.at);
      joined.push(event);
    }
  }
  end(events.at(-1)?.at ?? 0);
  return joined;
}

/** The next events of a terminal, from a place on: of a recording that is not whole, those that are known for sure. */
export async function nextOutput(
  recording: Source,
  { terminal, from }: { readonly terminal: number; readonly from: OutputPlace },
): Promise<OutputBatch> {
  const events: ScreenEvent[] = [];
  let characters = 0;
  let place = { at: from.at, skip: 0 };
  await recording.reach(from.at);
  const { isWhole, duration } = recording;
  const to = isWhole ? Number.POSITIVE_INFINITY : duration;
  for await (const { at, event } of recording.events({ from: from.at, to })) {
    const told = screenEvent(event, { terminal, at });
    if (told === undefined) continue;
    place = { at, skip: at === place.at ? place.skip + 1 : 1 };
    if (at === from.at && place.skip <= from.skip) continue;
    events.push(told);
    characters += told.type === 'output' ? told.data.length : 0;
    const isFull = events.length >= replayLimits.batchEvents || characters >= replayLimits.batchCharacters;
    if (isFull) return { events, next: place };
  }
  return { events, next: isWhole ? undefined : { at: duration, skip: 0 } };
}

function screenEvent(
  event: RecordingEvent,
  { terminal, at }: { readonly terminal: number; readonly at: number },
): ScreenEvent | undefined {
  if (event.type === 'output' && event.terminal === terminal) return { at, type: 'output', data: event.data };
  if (event.type !== 'resize' || event.terminal !== terminal) return undefined;
  return { at, type: 'resize', columns: event.columns, rows: event.rows };
}
