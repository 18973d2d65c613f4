import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runsLong } from '../../test/runs-long.ts';
import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import { recordingLimits } from '../limits.ts';
import { RecordingWriter } from '../write/recording-writer.ts';
import { openRecording } from './open-recording.ts';
import type { Recording } from './recording.ts';
import type { RecordingSource } from './text-blocks.ts';

const header: RecordingHeader = {
  columns: 80,
  rows: 24,
  beginMs: 1_764_000_000_417,
  coppice: { recording: 1, generator: 'coppice test' },
};
const idOf = (number: number): string => number.toString(16).padStart(64, '0');

/** A session of many minutes: output all the time, and now and then a command, a keyframe, a snapshot. */
function session(steps: number): TimedEvent[] {
  const events: TimedEvent[] = [];
  const add = (at: number, event: RecordingEvent): void => void events.push({ at: at / 1_000, event });
  for (let step = 1; step <= steps; step++) {
    const at = step * 100;
    add(at, { type: 'output', terminal: 1, data: `line ${step} ${'.'.repeat(200)}\r\n` });
    if (step % 100 === 0) {
      const columns = 80;
      add(at, { type: 'keyframe', terminal: 1, columns, rows: 24, data: `screen ${step}` });
      add(at, { type: 'output', terminal: 1, data: `after ${step}\r\n` });
      add(at, { type: 'command', command: step, text: `run ${step}`, by: 'exec', terminal: 1 });
      add(at, { type: 'objects', snapshot: idOf(step), data: btoa(`first ${step};`) });
      add(at, { type: 'objects', snapshot: idOf(step), data: btoa(`last ${step}`), isLast: true });
      const changes = { created: 1, modified: 0, deleted: 0, paths: [`/file-${step}`] };
      add(at, { type: 'snapshot', id: idOf(step), parents: [], label: '', changes, takenAtMs: at });
    }
  }
  return events;
}

async function write(events: readonly TimedEvent[], { gzip = false } = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const writer = new RecordingWriter(header, { gzip, write: (piece) => void pieces.push(piece) });
  for (const { at, event } of events) writer.add(event, at);
  await writer.end(0, events.at(-1)?.at);
  return Buffer.concat(pieces);
}

function sourceOf(bytes: Uint8Array): RecordingSource & { readBytes: number } {
  const source = {
    readBytes: 0,
    read: async (from: number, to: number) => {
      source.readBytes += to - from;
      return bytes.subarray(from, to);
    },
  };
  return source;
}

async function all(recording: Recording, range: Parameters<Recording['events']>[0]): Promise<TimedEvent[]> {
  const events: TimedEvent[] = [];
  for await (const event of recording.events(range)) events.push(event);
  return events;
}

const events = session(3_000);
const plain = await write(events);
const everything = { from: 0, to: Number.POSITIVE_INFINITY };

describe.each([
  ['a plain file', plain],
  ['a gzip of members', await write(events, { gzip: true })],
  ['a gzip of one member', gzipSync(plain)],
])('%s', (_, bytes) => {
  test('is read at any instant, of which only a part is read', async () => {
    const source = sourceOf(bytes);
    using recording = await openRecording(source);
    expect(recording.damage).toBe(undefined);
    expect(recording.duration).toBe(300);
    expect(recording.landmarks.length).toBe(2 * 30 + 1);
    source.readBytes = 0;
    for (const [from, to] of [
      [0, 1],
      [200, 200.001],
      [199.9, 210],
      [299.9, 600],
    ] as const)
      expect((await all(recording, { from, to })).filter(({ event }) => event.type !== 'end')).toEqual(
        events.filter(({ at }) => at >= from && at < to),
      );
    expect(source.readBytes).toBeLessThan(bytes.length * 2);
    expect((await all(recording, everything)).slice(0, -1)).toEqual(events);
  });

  test('shows a screen from the keyframe before, and only what came after that', async () => {
    using recording = await openRecording(sourceOf(bytes));
    const start = await recording.screenStart(1, 25.5);
    expect(start).toMatchObject({ at: 20, paint: 'screen 200', columns: 80, rows: 24 });
    const shown = (await all(recording, { from: start.at, to: 20.2, after: start.line })).flatMap(
      ({ event }) => (event.type === 'output' ? event.data.trim().slice(0, 8) : []),
    );
    expect(shown).toEqual(['after 20', 'line 201']);
    expect(await recording.screenStart(1, 5)).toEqual({ at: 0, columns: 80, rows: 24, paint: '', line: 1 });
    await expect(recording.screenStart(7, 5)).rejects.toThrow('The recording has no terminal 7');
  });

  test('has the export of each snapshot, and finds texts', async () => {
    using recording = await openRecording(sourceOf(bytes));
    const parts: string[] = [];
    for await (const part of recording.exportOf(idOf(2_900))) parts.push(Buffer.from(part).toString());
    expect(parts.join('')).toBe('first 2900;last 2900');
    await expect(recording.exportOf(idOf(1))[Symbol.asyncIterator]().next()).rejects.toThrow(
      /has no snapshot/,
    );
    const found = await recording.search('LINE 2321 ', { most: 10 });
    expect(found.map(({ at, where, excerpt }) => [at, where, excerpt.slice(0, 9)])).toEqual([
      [232.1, 'output', 'line 2321'],
    ]);
    expect((await recording.search('run', { most: 3 })).map(({ at }) => at)).toEqual([10, 20, 30]);
    expect((await recording.search('file-2900', { most: 3 })).map(({ where }) => where)).toEqual(['path']);
  });

  test('that was cut at any byte opens with what is whole', async () => {
    for (let at = 1_000; at < bytes.length; at += Math.ceil(bytes.length / 5)) {
      using recording = await openRecording(sourceOf(bytes.subarray(0, at)));
      const got = await all(recording, everything);
      expect(recording.damage).toBe(`It was cut after line ${got.length + 1}`);
      expect(got).toEqual(events.slice(0, got.length));
      expect(recording.duration).toBe(got.at(-1)?.at ?? 0);
    }
  });
});

/** A file of numbered commands whose text is made where it is read: ten million events are as good as a few. */
function commandsFile(count: number): RecordingSource {
  const lineOf = (event: object): string => `${JSON.stringify([0.5, 'C', JSON.stringify(event)])}\n`;
  const begun = (command: number, text: string): string =>
    lineOf({ type: 'command', command, text, by: 'exec', terminal: 1 });
  // All numbers have as many digits.
  const pairOf = (index: number): string => {
    const command = firstCommand + index;
    return (
      begun(command, `run ${command}`) + lineOf({ type: 'command-end', command, exitCode: 0, durationMs: 1 })
    );
  };
  const head = '{"version":3,"term":{"cols":80,"rows":24},"coppice":{"recording":1,"generator":"x"}}\n';
  const beginning = head + begun(1, 'x'.repeat(10_000));
  const pairBytes = pairOf(0).length;
  const sizeBytes = beginning.length + count * pairBytes + ending.length;
  const textIn = (from: number, to: number): string => {
    const first = Math.max(0, Math.floor((from - beginning.length) / pairBytes));
    const last = Math.min(count, Math.ceil((to - beginning.length) / pairBytes));
    const pairs = Array.from({ length: Math.max(0, last - first) }, (_, index) => pairOf(first + index)).join(
      '',
    );
    const before = first === 0 ? beginning : '';
    const at = first === 0 ? 0 : beginning.length + first * pairBytes;
    return `${before}${pairs}${last === count ? ending : ''}`.slice(from - at, to - at);
  };
  return {
    read: async (from, to) => Buffer.from(textIn(from, Math.min(to, sizeBytes)), 'latin1'),
  };
}

const firstCommand = 1_000_000;
const ending = '[0,"x","0"]\n';

test('R-6 of 50,000 commands, and in the long run of ten million events, as many as may be are listed, any is read alone, and memory is bounded', {
  timeout: 600_000,
}, async () => {
  const count = runsLong ? 5_000_000 : 50_000;
  const { read } = commandsFile(count);
  const watched = { bytes: 0, peakMemory: 0 };
  const source: RecordingSource = {
    read: (from, to) => {
      watched.bytes += to - from;
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      watched.peakMemory = Math.max(watched.peakMemory, heapUsed + arrayBuffers);
      return read(from, to);
    },
  };
  using recording = await openRecording(source);
  const events = 1 + 2 * count + 1;
  expect(recording.landmarks.length).toBe(Math.min(events, recordingLimits.landmarks));
  expect(recording.damage).toBe(runsLong ? 'It has more events than a list can show' : undefined);
  expect(recording.duration).toBe(0.5 + count);
  // All of ten million events take some gigabytes.
  expect(watched.peakMemory).toBeLessThan(800 * 1_048_576);
  const [long] = recording.landmarks;
  expect(long).toMatchObject({ at: 0.5, isCut: true });
  expect(JSON.stringify(long?.event).length).toBeLessThan(1_000);
  expect(await recording.whole(long?.line ?? 0)).toMatchObject({ text: 'x'.repeat(10_000) });
  watched.bytes = 0;
  const at = count - 10;
  const near = await all(recording, { from: at, to: at + 0.6 });
  expect(near.map(({ event }) => event)).toMatchObject([
    { type: 'command', text: `run ${firstCommand + count - 11}` },
    { type: 'command-end', command: firstCommand + count - 11 },
  ]);
  expect(watched.bytes).toBeLessThan(3 * recordingLimits.blockBytes);
});

describe('what is wrong', () => {
  const text = (lines: readonly string[]): Uint8Array => new TextEncoder().encode(`${lines.join('\n')}\n`);
  const head = '{"version":3,"term":{"cols":80,"rows":24},"coppice":{"recording":1,"generator":"x"}}';

  test.each([
    ['nothing', '', /it is empty/],
    ['no JSON', 'hello', /line 1 of the recording: it is no JSON/],
    ['another JSON', '[1]', /it is no header of an asciicast/],
    ['no size', '{"version":3,"term":{}}', /something else than an integer .* as columns/],
    [
      'a version of ours to come',
      head.replace('"recording":1', '"recording":2'),
      /it has version 2, of a newer/,
    ],
    ['a version of asciicast to come', '{"version":4}', /it is asciicast version 4/],
    ['asciicast v1', '{"version":1}', /asciicast v1 is one JSON object/],
    [
      'a deep header',
      `{"version":3,"term":{"cols":1,"rows":1},"a":${'['.repeat(90)}${']'.repeat(90)}}`,
      /64 levels/,
    ],
    ['a header of a wrong type', head.replace('"x"', '{}'), /something else than text as coppice.generator/],
  ])('is refused: %s', async (_, first, why) => {
    await expect(openRecording(sourceOf(first === '' ? new Uint8Array(0) : text([first])))).rejects.toThrow(
      why,
    );
  });

  const event = (json: string): string => `[1,"C",${JSON.stringify(json)}]`;
  test.each([
    ['no list', '{}', 'it is no list of a time, a code and data'],
    ['no JSON', '[1,"m"', 'it is no JSON'],
    ['an endless time', '[1e300,"m",""]', 'its time is out of range'],
    ['a size of letters', '[1,"r","axb"]', 'it has a size that is not like 80x24'],
    ['a code C without a type', event('[]'), 'its JSON is no object with a type'],
    ['an id that is none', event('{"type":"head","id":"../x"}'), 'as head.id'],
    ['wrong base64', event(`{"type":"objects","snapshot":"${idOf(1)}","data":"a-_"}`), 'base64'],
    [
      'a terminal without a number',
      event('{"type":"output","terminal":1e9,"data":""}'),
      'as output.terminal',
    ],
    [
      'a call that is deep',
      event(`{"type":"result","id":"","result":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
      '64 levels',
    ],
  ])('ends what is shown, with a sentence: %s', async (_, line, why) => {
    using recording = await openRecording(
      sourceOf(text([head, '[1,"m","before"]', line, '[1,"m","after"]'])),
    );
    expect((await all(recording, everything)).map(({ event }) => event)).toEqual([
      { type: 'marker', label: 'before' },
    ]);
    expect(recording.damage).toContain('Cannot read line 3 of the recording: ');
    expect(recording.damage).toContain(why);
  });

  test('a line of any length is refused before it is read whole', async () => {
    const endless: RecordingSource & { readBytes: number } = {
      readBytes: 0,
      read: async (from, to) => {
        endless.readBytes += to - from;
        const bytes = new Uint8Array(to - from).fill(0x20);
        if (from === 0) bytes.set(text([head]).subarray(0, to));
        return bytes;
      },
    };
    using recording = await openRecording(endless);
    expect(recording.damage).toMatch(/a line of it is longer than \d+ bytes; nothing after line 1 is shown/);
    expect(endless.readBytes).toBeLessThan(3 * recordingLimits.lineBytes);
  });

  test('a gzip bomb is refused before it is inflated whole', async () => {
    const bomb = Buffer.concat([gzipSync(text([head])), gzipSync(new Uint8Array(20_000_000))]);
    using recording = await openRecording(sourceOf(bomb));
    expect(recording.damage).toMatch(/a line of it is longer/);
    const rubbish = Buffer.concat([gzipSync(text([head])), new Uint8Array(100).fill(7)]);
    expect((await openRecording(sourceOf(rubbish))).damage).toMatch(
      /its gzip is damaged; nothing after line 1/,
    );
  });

  test('codes, keys and types of a newer version are kept', async () => {
    const lines = [
      head.replace('"x"', '"x","new":{"a":1}'),
      '[1,"z",{"b":[2]}]',
      event('{"type":"new"}'),
      '# a comment',
      '',
    ];
    using recording = await openRecording(sourceOf(text(lines)));
    expect(recording.header.coppice).toMatchObject({ new: { a: 1 } });
    expect((await all(recording, everything)).map(({ event }) => event)).toEqual([
      { type: 'unknown', code: 'z', data: '{"b":[2]}' },
      { type: 'unknown', code: 'C', data: '{"type":"new"}' },
    ]);
  });

  test('an asciicast that Coppice did not write is read, of version 3 and 2', async () => {
    const third = ['{"version":3,"term":{"cols":9999,"rows":24}}', '[0.5,"o","a"]', '[0.25,"o","b"]'];
    const second = ['{"version":2,"width":80,"height":24,"timestamp":5}', '[0.5,"o","a"]', '[0.75,"o","b"]'];
    for (const lines of [third, second]) {
      using recording = await openRecording(sourceOf(text(lines)));
      expect(recording.header.coppice.source).toBe('asciicast');
      expect(recording.damage).toBe(undefined);
      expect((await all(recording, everything)).map(({ at }) => at)).toEqual([0.5, 0.75]);
    }
    using wide = await openRecording(sourceOf(text(third)));
    expect(wide.header.columns).toBe(recordingLimits.columns);
  });
});
