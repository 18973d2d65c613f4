import { expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { SecretReplacer } from '../../recording/redact/secret-replacer.ts';
import { type ProcessTap, SessionTaps } from '../processes/session-taps.ts';
import { Recorder } from './recorder.ts';
import type { SnapshotObjects } from './snapshot-objects.ts';

const header = {
  ...{ columns: 80, rows: 24, beginMs: 0 },
  coppice: { recording: 1, generator: 'test' },
} as const;

function begin({ input = false } = {}): { recorder: Recorder; taps: SessionTaps } {
  const taps = new SessionTaps();
  const recorder = new Recorder({
    ...{ header, gzip: false, input, taps, begin: [] },
    objects: {} as SnapshotObjects,
    secrets: new SecretReplacer(),
    subscribe: () => () => undefined,
    onEnd: () => undefined,
    stopMs: limits.recordingStopMs,
  });
  return { recorder, taps };
}

async function eventsOf({ file }: Recorder): Promise<RecordingEvent[]> {
  const pieces = async function* () {
    for (let piece = await file.read(); piece; piece = await file.read()) yield piece.bytes;
  };
  const events: RecordingEvent[] = [];
  for await (const { event } of (await readRecording(pieces())).events()) events.push(event);
  return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const shownOn = (events: readonly RecordingEvent[], terminal: number) =>
  events.map((event) => (event.type === 'output' && event.terminal === terminal ? event.data : '')).join('');
const openPty = (taps: SessionTaps, size = { columns: 100, rows: 30 }): ProcessTap =>
  taps.open({ text: '/bin/bash --login', argv: ['/bin/bash', '--login'], by: 'exec', size });

test('P-1 the first terminal is the one that public players show, and so is the next once it is closed', async () => {
  const { recorder, taps } = begin();
  const reading = eventsOf(recorder);
  const first = openPty(taps);
  first.output('stdout', bytes('one'));
  const second = openPty(taps);
  second.output('stdout', bytes('two'));
  first.end({ exitCode: 0, signal: undefined, reason: 'checkout' });
  const third = openPty(taps, { columns: 40, rows: 10 });
  third.output('stdout', bytes('three'));
  const command = taps.open({ text: 'ls', by: 'exec' });
  command.output('stdout', bytes('a\nb'));
  command.end({ exitCode: 0, signal: undefined, reason: 'exited' });
  await recorder.stop(0);
  const events = await reading;
  expect(shownOn(events, 1)).toBe('one\x1bcthree');
  expect(shownOn(events, 2)).toBe('two');
  expect(shownOn(events, 3)).toBe('\x1b[0;1m$\x1b[0m ls\r\na\r\nb');
  expect(events.filter(({ type }) => type === 'resize')).toMatchObject([{ columns: 100 }, { columns: 40 }]);
});

test('P-1 H-9 what is typed is not recorded unless it is asked for; a command shows its controls', async () => {
  const [without, withInput] = [begin(), begin({ input: true })];
  const readings = [without, withInput].map(({ recorder }) => eventsOf(recorder));
  for (const { taps } of [without, withInput]) {
    openPty(taps).input(bytes('hunter2'));
    taps.open({ text: "printf '\x1b]0;evil\x07'\nls", by: 'shell', user: 'root' }).end(undefined);
  }
  await Promise.all([without.recorder.stop(0), withInput.recorder.stop(0)]);
  const [plain = [], typed = []] = await Promise.all(readings);
  expect(JSON.stringify(plain)).not.toContain('hunter2');
  expect(typed.filter(({ type }) => type === 'input')).toMatchObject([{ data: 'hunter2' }]);
  expect(shownOn(plain, 2)).toBe("\x1b[0;1m#\x1b[0m printf '^[]0;evil^G'\r\n> ls\r\n");
});

test('P-1 R-6 output that comes too fast is left out and the file says so; nothing waits for it', async () => {
  const { recorder, taps } = begin();
  const process = taps.open({ text: 'yes', by: 'exec' });
  const piece = bytes('y\n'.repeat(32_768));
  const many = Math.ceil(limits.recordingOutputAheadBytes / piece.length) + 10;
  for (let index = 0; index < many; index++) process.output('stdout', piece);
  process.end({ exitCode: 0, signal: undefined, reason: 'exited' });
  const reading = eventsOf(recorder);
  await recorder.stop(0);
  const events = await reading;
  const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
  expect(notes).toEqual([expect.stringMatching(/^655360 bytes of output were not recorded/)]);
  // What was not seen has no hash.
  expect(events.find(({ type }) => type === 'command-end')).not.toHaveProperty('output');
  expect(shownOn(events, 1)).toContain('655360 bytes of output were not recorded');
});

test('P-1 R-6 a reader that stands still loses the recording at a bound, and has a whole one up to there', async () => {
  const { recorder } = begin();
  const text = 'x'.repeat(limits.recordingEventCharacters);
  const most = Math.ceil(limits.recordingBacklogBytes / text.length) + 1;
  for (let index = 0; index < most; index++) recorder.add({ type: 'note', text });
  const read = async () => {
    for (let piece = await recorder.file.read(); piece; ) piece = await recorder.file.read();
  };
  await expect(read()).rejects.toMatchObject({ code: 'limit-exceeded' });
});

test('P-1 R-6 a recorder that fails fails no process, and the next one goes on', () => {
  const taps = new SessionTaps();
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  const fails = () => {
    throw new Error('it failed');
  };
  const seen: string[] = [];
  const rest = { onInput: fails, onResize: fails, onMark: fails, onEnd: fails };
  taps.subscribe({ ...rest, onBegin: fails, onOutput: fails });
  taps.subscribe({ ...rest, onBegin: () => seen.push('begin'), onOutput: () => seen.push('output') });
  const process = taps.open({ text: 'ls', by: 'exec' });
  process.output('stdout', bytes('x'));
  expect(seen).toEqual(['begin', 'output']);
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});
