import { describe, expect, test } from 'vitest';
import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import { openRecordingFolder } from '../read/open-recording.ts';
import type { Recording } from '../read/recording.ts';
import { loadHeadlessScreen } from '../screen/headless-screen.ts';
import { writeSegments } from './write-segments.ts';

const header: RecordingHeader = {
  columns: 80,
  rows: 24,
  beginMs: 1_764_000_000_417,
  coppice: { recording: 1, generator: 'coppice test' },
};
const id = 'ab'.repeat(32);

function session(): TimedEvent[] {
  const events: TimedEvent[] = [];
  const add = (at: number, event: RecordingEvent): void => void events.push({ at, event });
  add(0.5, { type: 'terminal', terminal: 2, title: 'bash', columns: 40, rows: 10 });
  for (let step = 1; step <= 60; step++) {
    add(step, { type: 'output', terminal: 1, data: `step ${step} ${'.'.repeat(60)}\r\n`.repeat(250) });
    add(step, { type: 'output', terminal: 2, data: `other ${step}\r\n` });
    add(step, { type: 'call', id: `c${step}`, tool: 'bash', arguments: { command: 'x'.repeat(1_000) } });
  }
  add(60.5, { type: 'objects', snapshot: id, data: btoa('objects;') });
  add(60.5, { type: 'objects', snapshot: id, data: btoa('more'), isLast: true });
  const changes = { created: 1, modified: 0, deleted: 0, paths: ['/a'] };
  add(60.5, { type: 'snapshot', id, parents: [], label: 'make', changes, takenAtMs: 1 });
  add(60.5, { type: 'marker', label: 'make (abababababab)' });
  add(61, { type: 'end', exitCode: 0 });
  return events;
}

async function folderOf(events: readonly TimedEvent[], damage?: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  await writeSegments(
    {
      header,
      damage,
      async *events() {
        yield* events;
      },
    },
    async (path, bytes) => void files.set(path, bytes),
  );
  return files;
}

async function all(recording: Recording, from = 0): Promise<TimedEvent[]> {
  const events: TimedEvent[] = [];
  for await (const event of recording.events({ from, to: Number.POSITIVE_INFINITY })) events.push(event);
  return events;
}

function reader(files: ReadonlyMap<string, Uint8Array>, asked: string[] = []) {
  return async (path: string): Promise<Uint8Array> => {
    asked.push(path);
    const bytes = files.get(path);
    if (bytes === undefined) throw new Error(`There is no ${path}`);
    return bytes;
  };
}

const jsonOf = (bytes: Uint8Array | undefined) => JSON.parse(new TextDecoder().decode(bytes));

describe('a folder of segments', () => {
  const events = session();

  test('has all that the file has, and reads only the segments that are asked for', async () => {
    const asked: string[] = [];
    using recording = await openRecordingFolder(reader(await folderOf(events), asked));
    expect(asked).toEqual(['index.json', 'landmarks.json']);
    expect(recording.header).toEqual(header);
    expect(recording.duration).toBe(61);
    const shown = events.filter(({ event }) => event.type !== 'objects');
    expect((await all(recording)).filter(({ event }) => event.type !== 'keyframe')).toEqual(shown);
    const call = recording.landmarks.find(({ event }) => event.type === 'call');
    expect(call?.isCut).toBe(true);
    expect(await recording.whole(call?.line ?? 0)).toEqual(events[3]?.event);
    asked.length = 0;
    const start = await recording.screenStart(2, 59);
    expect(asked.length).toBe(1);
    const make = await loadHeadlessScreen();
    using full = make(40, 10);
    using painted = make(start.columns, start.rows);
    painted.write(start.paint);
    for (const { at, event } of events)
      if (event.type === 'output' && event.terminal === 2 && at < start.at) full.write(event.data);
    expect(painted.paint()).toBe(full.paint());
    const parts: string[] = [];
    for await (const part of recording.exportOf(id)) parts.push(new TextDecoder().decode(part));
    expect(parts.join('')).toBe('objects;more');
    expect((await recording.search('step 59 ', { most: 1 })).map(({ at }) => at)).toEqual([59]);
  });

  test("is what asciinema's player asks of segments", async () => {
    for (const session of [events, events.slice(0, 10), [], events.slice(0, -2)]) {
      const files = await folderOf(session);
      const index = jsonOf(files.get('index.json'));
      expect(index.version).toBe(1);
      for (const [at, { start, url }] of index.segments.entries()) {
        const end = index.segments[at + 1]?.start;
        const segment = jsonOf(files.get(url));
        const times: number[] = segment.events.map(([time]: [number]) => time);
        expect(start).toBe(at === 0 ? 0 : times[0]);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        if (end === undefined) expect(times.at(-1)).toBe(index.duration);
        else expect(times.at(-1)).toBeLessThan(end);
        expect(at === 0 || start < index.duration).toBe(true);
        expect(segment.snapshot).toMatchObject({ cols: 80, rows: 24 });
      }
    }
    using cut = await openRecordingFolder(
      reader(await folderOf(events.slice(0, 9), 'It was cut after line 9')),
    );
    expect(cut.damage).toBe('It was cut after line 9');
  });

  test('that Coppice did not write opens too', async () => {
    const files = await folderOf(events);
    const { coppice: _, ...index } = jsonOf(files.get('index.json'));
    files.set('index.json', new TextEncoder().encode(JSON.stringify(index)));
    using recording = await openRecordingFolder(reader(files));
    expect(recording.header.coppice.source).toBe('asciicast');
    expect(recording.landmarks.map(({ event }) => event.type)).toEqual(['marker']);
    expect((await recording.screenStart(1, 59)).paint).toContain('step ');
  });

  test.each([
    ['no JSON', 'x', /index.json is no JSON/],
    ['another version', '{"version":2}', /something else than an integer from 1 to 1 as index.json.version/],
    [
      'a segment elsewhere',
      { segments: [{ start: 0, url: 'https://a/b.json' }] },
      /a path within the folder/,
    ],
    ['a segment above', { segments: [{ start: 0, url: 'a/../../b' }] }, /a path within the folder/],
    ['no segment', { segments: [] }, /a list of 1 to/],
    ['no order', { segments: [5, 1].map((start) => ({ start, url: 'a' })) }, /its segments are not in order/],
    ['a size of text', { term: { cols: '80', rows: 24 } }, /term.cols/],
  ])('is refused with a sentence: %s', async (_, index, why) => {
    const whole = jsonOf((await folderOf([])).get('index.json'));
    const text = typeof index === 'string' ? index : JSON.stringify({ ...whole, ...index });
    const files = new Map([['index.json', new TextEncoder().encode(text)]]);
    files.set('landmarks.json', new TextEncoder().encode('[]'));
    await expect(openRecordingFolder(reader(files))).rejects.toThrow(why);
  });
});
