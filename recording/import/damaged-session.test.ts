import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { importBytes, transcriptFiles } from '../../test/fixtures/transcripts.ts';
import { toAtif } from '../export/to-atif.ts';
import { toRecording } from '../export/to-recording.ts';
import type { TimedEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { readRecording } from '../read/read-recording.ts';

/** What stands in the place of a value. */
const strange = [
  null,
  -1,
  1e308,
  '',
  [],
  {},
  [null],
  { text: 1 },
  true,
  '__proto__',
  '2026-13-45',
  9e15,
  '1970',
];

/** A value of which parts are others, by numbers that choose. */
function damaged(value: unknown, choose: (among: number) => number): unknown {
  if (choose(12) === 0) return strange[choose(strange.length)];
  if (Array.isArray(value)) return value.map((each) => damaged(each, choose));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [choose(40) === 0 ? 'other' : name, damaged(each, choose)]),
  );
}

function damagedText(text: string, choose: (among: number) => number): string {
  const lines = text.startsWith('{\n') ? [text] : text.split('\n').filter((line) => line !== '');
  const changed = lines.map((line) => {
    const value = line.endsWith('}') || text.startsWith('{\n') ? JSON.parse(line) : undefined;
    return value === undefined ? line : JSON.stringify(damaged(value, choose));
  });
  const whole = changed.join('\n');
  return choose(3) === 0 ? whole.slice(0, choose(whole.length)) : whole;
}

/** All of a session, or nothing where it is refused with a sentence. */
async function whole(text: string): Promise<SessionStream | undefined> {
  try {
    const session = await importBytes(text, async () => new TextEncoder().encode(text));
    const events: TimedEvent[] = [];
    for await (const each of session.events()) events.push(each);
    return {
      header: session.header,
      events: async function* () {
        yield* events;
      },
    };
  } catch (error) {
    if (error instanceof SandboxError && error.code !== 'internal') return undefined;
    throw error;
  }
}

test('C-8 a session that is damaged anywhere is refused, or becomes a recording that can be read, and a trajectory', async () => {
  const texts = await Promise.all(transcriptFiles.map((file) => readFile(file, 'utf8')));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...texts), fc.infiniteStream(fc.nat()), async (given, numbers) => {
      const choose = (among: number) => (numbers.next().value ?? 0) % among;
      const text = damagedText(given, choose);
      const session = await whole(text);
      if (!session) return;
      const read = await readRecording(toRecording(session, { gzip: true }));
      const again = [];
      for await (const { at } of read.events()) again.push(at);
      expect(again).toEqual(again.toSorted((one, other) => one - other));
      expect(read.damage).toBeUndefined();
      let json = '';
      for await (const piece of toAtif(session)) json += piece;
      expect(JSON.parse(json).schema_version).toBe('ATIF-v1.7');
    }),
    { numRuns: 60 },
  );
});
