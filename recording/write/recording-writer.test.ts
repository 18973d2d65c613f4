import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import { recordingLimits } from '../limits.ts';
import { readRecording } from '../read/read-recording.ts';
import { RecordingWriter } from './recording-writer.ts';

const header: RecordingHeader = {
  columns: 80,
  rows: 24,
  beginMs: 1_764_000_000_417,
  title: 'A title',
  env: { SHELL: '/bin/bash' },
  coppice: { recording: 1, generator: 'coppice test', sandbox: 'box' },
  rest: { tags: ['a'], term: { type: 'xterm-256color' } },
};
const id = 'ab'.repeat(32);
const events: RecordingEvent[] = [
  { type: 'output', terminal: 1, data: 'a line\r\n\u{1f600}\u001b[0m' },
  { type: 'input', terminal: 1, data: 'x' },
  { type: 'resize', terminal: 1, columns: 100, rows: 30 },
  { type: 'terminal', terminal: 2, title: 'bash', columns: 80, rows: 24 },
  { type: 'output', terminal: 2, data: 'another' },
  { type: 'keyframe', terminal: 2, columns: 80, rows: 24, data: 'another' },
  { type: 'command', command: 1, text: 'make test', argv: ['make', 'test'], by: 'exec', terminal: 1 },
  { type: 'source', command: 1, stream: 'stderr' },
  { type: 'command-end', command: 1, exitCode: 0, durationMs: 12.5 },
  { type: 'objects', snapshot: id, data: 'AAEC', isLast: true },
  {
    type: 'snapshot',
    id,
    parents: [],
    label: 'make test',
    changes: { created: 1, modified: 0, deleted: 0, paths: ['/a'] },
    takenAtMs: 1,
  },
  { type: 'marker', label: 'make test (abababababab)' },
  { type: 'call', id: 'c1', tool: 'bash', arguments: { command: ['ls'] } },
  { type: 'result', id: 'c1', result: 'ok', snapshot: id },
  { type: 'message', role: 'assistant', text: 'Done.' },
  { type: 'foreign', format: 'codex', line: '{"type":"new"}' },
  { type: 'redacted', counts: { token: 2 } },
  { type: 'unknown', code: 'C', data: '{"type":"of-a-newer-version","x":1}' },
  { type: 'unknown', code: 'z', data: 'z' },
];

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function record(
  timed: readonly TimedEvent[],
  { gzip, exitCode }: { gzip: boolean; exitCode?: number },
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const writer = new RecordingWriter(header, { gzip, write: (piece) => void pieces.push(piece) });
  for (const { at, event } of timed) writer.add(event, at);
  await (exitCode === undefined ? writer.flush() : writer.end(exitCode, timed.at(-1)?.at));
  return Buffer.concat(pieces);
}

async function read(bytes: Uint8Array, size = 1_000) {
  const stream = await readRecording(piecesOf(bytes, size));
  const read: TimedEvent[] = [];
  for await (const timed of stream.events()) read.push(timed);
  return { header: stream.header, events: read, damage: stream.damage };
}

describe('what a writer wrote', () => {
  const timed = events.map((event, index) => ({ at: index / 1_000 + 0.123, event }));

  test.each([true, false])('is read as it was (gzip: %s), in pieces of any size', async (gzip) => {
    // As Windows has them.
    const bytes = await record(timed, { gzip, exitCode: -1_073_741_819 });
    const end = { at: timed.at(-1)?.at, event: { type: 'end', exitCode: -1_073_741_819 } };
    for (const size of [1, 77, 100_000])
      expect(await read(bytes, size)).toEqual({ header, events: [...timed, end], damage: undefined });
  });

  test('times do not drift, and never go back', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      at: Math.round(index * 0.3333 * 1_000) / 1_000,
      event: { type: 'output', terminal: 1, data: '.' } as const,
    }));
    const { events: got } = await read(await record(many, { gzip: false, exitCode: 0 }), 65_536);
    expect(got.slice(0, -1)).toEqual(many);
    const back = await read(
      await record([...timed, { at: 0, event: { type: 'note', text: '' } }], { gzip: false }),
    );
    expect(back.events.at(-1)?.at).toBe(timed.at(-1)?.at);
  });

  test('a file that was cut at any byte is whole up to there, and says so', async () => {
    const text = await record(timed, { gzip: false, exitCode: 0 });
    for (let at = text.indexOf(10) + 1; at < text.length - 1; at += 13) {
      const cut = await read(text.subarray(0, at));
      expect(cut.events).toEqual([...timed, {}].slice(0, cut.events.length));
      expect(cut.damage).toBe(`It was cut after line ${cut.events.length + 1}`);
    }
  });

  test('a gzip that was cut is whole up to its last flush', async () => {
    const pieces: Uint8Array[] = [];
    const writer = new RecordingWriter(header, { gzip: true, write: (piece) => void pieces.push(piece) });
    for (const { at, event } of timed) {
      writer.add(event, at);
      await writer.flush();
    }
    const bytes = Buffer.concat(pieces);
    expect(gunzipSync(bytes).toString()).toBe(Buffer.from(await record(timed, { gzip: false })).toString());
    for (let at = pieces[0]?.length ?? 0; at < bytes.length; at += 13) {
      const cut = await read(bytes.subarray(0, at));
      let whole = 0;
      for (let sum = 0; sum + (pieces[whole]?.length ?? 0) <= at; whole++) sum += pieces[whole]?.length ?? 0;
      expect(cut.events.length).toBeGreaterThanOrEqual(whole);
      expect(cut.events).toEqual(timed.slice(0, cut.events.length));
    }
  });

  test('long output is several events, with no character torn', async () => {
    const data = `a${'\u{1f600}'.repeat(recordingLimits.outputCharacters)}`;
    const { events: got } = await read(
      await record([{ at: 1, event: { type: 'output', terminal: 1, data } }], { gzip: true }),
      65_536,
    );
    expect(got.length).toBe(3);
    expect(got.map(({ event }) => (event.type === 'output' ? event.data : '')).join('')).toBe(data);
    expect(got.every(({ event }) => event.type === 'output' && event.data.isWellFormed())).toBe(true);
  });

  test('what no line can hold is refused, and the recording goes on', async () => {
    const pieces: Uint8Array[] = [];
    const writer = new RecordingWriter(header, { write: (piece) => void pieces.push(piece) });
    const result = (result: unknown): RecordingEvent => ({ type: 'result', id: 'a', result });
    expect(() => writer.add(result('x'.repeat(2_000_000)))).toThrow(/Cannot record a result: it is longer/);
    expect(() => writer.add(result(1n))).toThrow(/Cannot record a result: what it has is no JSON/);
    writer.add(result('ok'));
    await writer.end(0);
    const { events: got } = await read(Buffer.concat(pieces));
    expect(got.map(({ event }) => event)).toEqual([result('ok'), { type: 'end', exitCode: 0 }]);
  });

  test('a write that failed is told by each flush from then on', async () => {
    let calls = 0;
    const writer = new RecordingWriter(header, {
      write: async () => {
        calls++;
        throw new Error('No space left');
      },
    });
    await expect(writer.flush()).rejects.toThrow('No space left');
    writer.add({ type: 'note', text: 'a' });
    await expect(writer.end(0)).rejects.toThrow('No space left');
    expect(calls).toBe(1);
  });
});
