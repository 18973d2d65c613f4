import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openRecording, openRecordingFolder } from '../read/open-recording.ts';
import { readRecording } from '../read/read-recording.ts';
import type { Recording } from '../read/recording.ts';
import { RecordingWriter } from '../write/recording-writer.ts';
import { writeSegments } from '../write/write-segments.ts';
import { knownEvents } from './event-schema.ts';
import type { TimedEvent } from './recording-event.ts';
import type { RecordingHeader } from './recording-header.ts';

/** What files of version 1 are, and what they mean: neither may change without a version. */
const fixtures = new URL('../../test/fixtures/recordings/', import.meta.url);
const fixture = (name: string): Promise<Buffer> => readFile(new URL(name, fixtures));

interface Meaning {
  readonly header: RecordingHeader;
  readonly events: readonly TimedEvent[];
}

async function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording({ read: async (from, to) => bytes.subarray(from, to) });
}

async function eventsOf(recording: Recording): Promise<TimedEvent[]> {
  const events: TimedEvent[] = [];
  for await (const event of recording.events({ from: 0, to: Number.POSITIVE_INFINITY })) events.push(event);
  return events;
}

async function writtenBy({ header, events }: Meaning): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const writer = new RecordingWriter(header, { write: (piece) => void pieces.push(piece) });
  for (const { at, event } of events) writer.add(event, at);
  await writer.flush();
  return Buffer.concat(pieces);
}

describe('RF-1 golden files', () => {
  test.each([
    ['RF-8 each type of event', 'every-event', undefined],
    ['RF-6 RF-9 what a newer version may say', 'newer', undefined],
    ['RF-4 RF-17 a file that was cut', 'cut', 'It was cut after line 4'],
  ])('%s: %s.cast means what its JSON says, and is written like that', async (_, name, damage) => {
    const meaning: Meaning = JSON.parse(String(await fixture(`${name}.json`)));
    const file = await fixture(`${name}.cast`);
    for (const bytes of [file, gzipSync(file)]) {
      using recording = await open(bytes);
      expect({ header: recording.header, events: await eventsOf(recording) }).toEqual(meaning);
      expect(recording.damage).toBe(damage);
    }
    const stream = await readRecording(
      (async function* () {
        yield file;
      })(),
    );
    const events: TimedEvent[] = [];
    for await (const timed of stream.events()) events.push(timed);
    expect({ header: stream.header, events }).toEqual(meaning);
    const written = String(await writtenBy(meaning));
    expect(written).toBe(String(file).slice(0, String(file).lastIndexOf('\n') + 1));
  });

  test('RF-8 none of the types is missing', async () => {
    const { events }: Meaning = JSON.parse(String(await fixture('every-event.json')));
    const types = new Set<string>(events.map(({ event }) => event.type));
    expect([...knownEvents].filter((type) => !types.has(type))).toEqual([]);
  });

  test.each(['asciicast-v2', 'asciicast-v3'])('RF-7 %s.cast, which another program wrote', async (name) => {
    const meaning: Meaning = JSON.parse(String(await fixture(`${name}.json`)));
    using recording = await open(await fixture(`${name}.cast`));
    expect({ header: recording.header, events: await eventsOf(recording) }).toEqual(meaning);
    expect(recording.damage).toBe(undefined);
  });

  test('RF-3 members.cast.gz is one member after another', async () => {
    const file = await fixture('members.cast.gz');
    expect(gunzipSync(file)).toEqual(await fixture('every-event.cast'));
    using recording = await open(file);
    expect(await eventsOf(recording)).toEqual(JSON.parse(String(await fixture('every-event.json'))).events);
  });

  test('RF-14 RF-15 RF-16 a folder', async () => {
    const meaning: Meaning = JSON.parse(String(await fixture('every-event.json')));
    const written = new Map<string, string>();
    await writeSegments(
      {
        header: meaning.header,
        async *events() {
          yield* meaning.events;
        },
      },
      async (path, bytes) => void written.set(path, String(Buffer.from(bytes))),
    );
    for (const [path, text] of written) expect(text).toBe(String(await fixture(`folder/${path}`)).trimEnd());
    using recording = await openRecordingFolder((path) => fixture(`folder/${path}`));
    const without = (each: TimedEvent) => !['keyframe', 'objects'].includes(each.event.type);
    expect(await eventsOf(recording)).toEqual(meaning.events.filter(without));
  });
});
