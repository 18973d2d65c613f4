import type { RecordingEvent, TimedEvent } from '../../recording/format/recording-event.ts';

/** What a person who watches has time for, in seconds. */
const pace = {
  chapter: 1.2,
  beforeCommand: 1.1,
  /** A command is typed: one character, and all of it at most. */
  key: 0.045,
  typing: 2.4,
  afterTyping: 0.35,
  /** Output that took longer was the machine's time, not the reader's. */
  longestWait: 0.7,
  /** A note or a message is read. */
  least: 1.2,
  character: 0.035,
  most: 5,
  end: 2,
} as const;

/** The parts of a command's line as `sandbox/recording` shows it: its prompt, what was typed, and the end of the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal is told.
const commandLine = /^((?:\r\n)?\x1b\[0;1m[#$]\x1b\[0m )(.*)(\r\n)$/s;

/**
 * The same events with the times of a person at a keyboard: commands are typed, what is to be read stands for a while, and
 * waits for a slow machine are short. Nothing else is changed: order, texts, exit codes and what commands took in truth.
 */
export function* paceEvents(events: Iterable<TimedEvent>): Generator<TimedEvent> {
  let at = 0;
  let realAt = 0;
  let isTyped = false;
  for (const { at: wasAt, event } of events) {
    const wait = Math.min(wasAt - realAt, pace.longestWait);
    realAt = wasAt;
    const parts = isTyped && event.type === 'output' ? commandLine.exec(event.data) : null;
    if (parts !== null && event.type === 'output') {
      isTyped = false;
      const [, prompt = '', typed = '', end = ''] = parts;
      yield { at, event: { ...event, data: prompt } };
      const characters = [...typed];
      const each = Math.min(pace.key, pace.typing / characters.length);
      for (const data of characters) {
        at += each;
        yield { at, event: { ...event, data } };
      }
      at += pace.afterTyping;
      yield { at, event: { ...event, data: end } };
      continue;
    }
    if (event.type === 'command') {
      at += pace.beforeCommand;
      isTyped = true;
    } else if (event.type === 'chapter') at += at === 0 ? 0 : pace.chapter;
    else if (event.type === 'end') at += pace.end;
    else if (event.type === 'output' || event.type === 'result') at += wait;
    yield { at, event };
    at += readingTime(event);
  }
}

function readingTime(event: RecordingEvent): number {
  if (event.type !== 'note' && event.type !== 'message') return 0;
  return Math.min(pace.most, Math.max(pace.least, event.text.length * pace.character));
}
