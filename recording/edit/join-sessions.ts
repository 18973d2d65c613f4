import { SandboxError } from '../../protocol/errors.ts';
import { firstTerminal, type TimedEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { SessionNumbers } from './session-numbers.ts';

/** Sets a terminal to how it was when it was made (RIS). */
const reset = '\x1bc';

/**
 * Sessions one after the other as one, each a chapter, in the time of their events: pauses between them are left out. Their first terminals are one, and what else
 * counts up goes on counting. @throws invalid-argument for snapshots against different images
 */
export function joinSessions(sessions: readonly SessionStream[]): SessionStream {
  const [first] = sessions;
  if (!first) throw new SandboxError('invalid-argument', 'Cannot join no recordings');
  const images = new Set(sessions.flatMap(({ header }) => header.coppice.image?.digest ?? []));
  if (images.size > 1) {
    const message = `Cannot join recordings of ${images.size} images: snapshots are stored against one`;
    throw new SandboxError('invalid-argument', message);
  }
  const held = sessions.flatMap(({ header }) => header.coppice.image ?? []);
  // The whole holds it only where each part does.
  const image = held.find(({ isHeld }) => !isHeld) ?? held[0];
  const { coppice, ...header } = first.header;
  return {
    header: { ...header, coppice: { ...coppice, ...(image === undefined ? {} : { image }) } },
    events: () => joined(sessions),
  };
}

async function* joined(sessions: readonly SessionStream[]): AsyncGenerator<TimedEvent> {
  const numbers = new SessionNumbers();
  let base = 0;
  let last = 0;
  let exitCode = 0;
  for (const [index, { header, events }] of sessions.entries()) {
    numbers.next();
    yield { at: base, event: { type: 'chapter', title: header.title ?? `Part ${index + 1}` } };
    if (index > 0) {
      const { columns, rows } = header;
      yield { at: base, event: { type: 'resize', terminal: firstTerminal, columns, rows } };
      yield { at: base, event: { type: 'output', terminal: firstTerminal, data: reset } };
    }
    for await (const { at, event } of events()) {
      last = Math.round((base + at) * 1_000) / 1_000;
      if (event.type === 'end') exitCode = event.exitCode;
      else if (!numbers.isKnown(event)) yield { at: last, event: numbers.renumber(event) };
    }
    base = last;
  }
  yield { at: base, event: { type: 'end', exitCode } };
}
