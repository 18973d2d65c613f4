import { expect, test } from 'vitest';
import type { RecordingHeader } from '../../../recording/format/recording-header.ts';
import type { Landmark } from '../../../recording/read/recording.ts';
import type { OutputBatch, ScreenAt, ScreenEvent } from '../../transports/replay-link.ts';
import { sayTime, spellTime } from './describe-time.ts';
import { Playback } from './playback.ts';
import { formatPlace, readPlace } from './replay-place.ts';
import { lastAt, readSession } from './session-steps.ts';
import { timelineMarks } from './timeline-marks.ts';

const header: RecordingHeader = {
  ...{ columns: 80, rows: 24, beginMs: 0 },
  coppice: { recording: 1, generator: 'test', begin: 'a' },
};
const changes = { created: 1, modified: 0, deleted: 0, paths: ['/a'] };
const snapshot = (id: string, label: string) =>
  ({ type: 'snapshot', id, parents: [], label, changes, takenAtMs: 0 }) as const;

test('P-2 what belongs together is one step, and markers of snapshots are none', () => {
  const events: Landmark['event'][] = [
    { type: 'command', command: 1, text: 'make', by: 'exec', terminal: 1 },
    { type: 'call', id: 'x', tool: 'bash', arguments: { command: 'npm test', timeout: 5 } },
    { type: 'command-end', command: 1, exitCode: 2, durationMs: 1_000 },
    snapshot('b', 'make'),
    { type: 'marker', label: 'make (1f2e3d4c5b6a)' },
    { type: 'result', id: 'x', result: 'no', isError: true },
    { type: 'head', id: 'a' },
    { type: 'terminal', terminal: 2, title: 'server', columns: 80, rows: 24 },
    { type: 'result', id: 'nobody', result: '' },
  ];
  const landmarks = events.map((event, at) => ({ at, line: at + 2, event }));
  const { steps, heads, terminals } = readSession(header, landmarks);
  expect(
    steps.map(({ kind, text, end, isRepeated }) => [kind, text, end?.text, end?.failed, isRepeated]),
  ).toEqual([
    ['command', 'make', 'exit 2', true, undefined],
    ['call', 'bash · npm test', 'no', true, undefined],
    ['snapshot', 'make', undefined, undefined, true],
  ]);
  expect(heads.map(({ at, id }) => `${at} ${id}`)).toEqual(['0 a', '3 b', '6 a']);
  expect(terminals.map(({ terminal, title }) => [terminal, title])).toEqual([
    [1, ''],
    [2, 'server'],
  ]);
  // An asciicast of somebody else's has nothing but markers.
  const cast = readSession(header, [{ at: 1, line: 2, event: { type: 'marker', label: 'half-way' } }]);
  expect(cast.steps.map(({ kind, text }) => `${kind} ${text}`)).toEqual(['chapter half-way']);
  expect([-1, 0, 2.9, 3, 9].map((at) => lastAt(heads, at))).toEqual([-1, 0, 0, 1, 2]);
});

test('P-2 50,000 commands are at most a thousand marks', () => {
  const steps = Array.from({ length: 50_000 }, (_, at) => ({
    at,
    line: at,
    kind: 'command' as const,
    text: '',
  }));
  const { commands } = timelineMarks(steps, { duration: 50_000, heightPx: 24 });
  expect(commands.split('M').length - 1).toBe(1_001);
});

test.each([
  [
    '#t=12.5&path=/etc/hosts&view=files&terminal=2',
    { at: 12.5, path: '/etc/hosts', view: 'files', terminal: 2 },
  ],
  ['#t=1:02:03', { at: 3_723 }],
  ['#t=-1&path=relative&view=x&terminal=0', { at: 0 }],
  ['#t=1e9&terminal=1.5', { at: 0 }],
  [`#path=/${'a'.repeat(5_000)}`, { at: 0 }],
])('P-2 H-9 the place of %.60s', (hash, place) => {
  expect(readPlace(hash)).toEqual(place);
  expect(readPlace(`#${formatPlace(place as ReturnType<typeof readPlace>)}`)).toEqual(place);
});

test('times are spelled for eyes and for ears', () => {
  expect([spellTime(245.3), spellTime(3_845), sayTime(3_661), sayTime(0)]).toEqual([
    ...['4:05', '1:04:05'],
    ...['1 hour 1 minute 1 second', 'the beginning'],
  ]);
});

/** A recording that says something each time in `spoken`, and a screen that remembers what it was told. */
function setUp(spoken: readonly number[]) {
  const events = spoken.map((at): ScreenEvent => ({ at, type: 'output', data: String(at) }));
  const shown: string[] = [];
  const link = {
    screen: async ({ at }: { at: number }): Promise<ScreenAt> => ({
      ...{ columns: 80, rows: 24 },
      events: events.filter((event) => event.at <= at),
    }),
    output: async ({ from }: { from: { at: number } }): Promise<OutputBatch> => {
      const rest = events.filter(({ at }) => at >= from.at);
      const last = rest[1];
      return { events: rest.slice(0, 2), next: last && { at: last.at + 0.0005, skip: 0 } };
    },
  };
  const known = { duration: 100, isWhole: true };
  const playback = new Playback({
    ...{ link, known: () => known, onTime: () => undefined },
    nextStepAt: () => Infinity,
    onError: (error) => {
      throw error;
    },
  });
  const screen = {
    pendingCharacters: 0,
    show: async (at: ScreenAt) => void shown.push(`[${at.events.map((event) => event.at).join(' ')}]`),
    write: (written: readonly ScreenEvent[]) => void shown.push(...written.map(({ at }) => String(at))),
  };
  playback.drawOn(screen);
  /** Frames of a tenth of a second, each after what the last one has asked for. */
  const play = async (frames: number, skipsIdle = false) => {
    for (let frame = 0; frame < frames; frame++) {
      playback.advance(0.1, { speed: 10, skipsIdle });
      await Promise.resolve().then(() => undefined);
    }
  };
  return { playback, screen, shown, play, known };
}

test('P-2 it plays on from where it was sought, each thing once, and the clock waits for what is not drawn', async () => {
  const { playback, screen, shown, play } = setUp([1, 2, 3, 4, 5]);
  await playback.seek(2.5);
  await play(12);
  expect(shown).toEqual(['[1 2]', '3', '4', '5']);
  screen.pendingCharacters = 10_000_000;
  const { at } = playback;
  await play(5);
  expect([playback.at, playback.isWaiting]).toEqual([at, true]);
});

test('P-2 of places that are sought in a row, the last is drawn; idle time is skipped', async () => {
  const { playback, shown, play } = setUp([1, 90]);
  await Promise.all([10, 20, 95, 0.5].map((at) => playback.seek(at)));
  expect(shown.at(-1)).toBe('[]');
  expect(shown.length).toBeLessThan(3);
  await play(14, true);
  expect(shown.slice(-2)).toEqual(['1', '90']);
});

test('P-2 an instant that is not known yet is shown once it is, and one that is known at once', async () => {
  const { playback, shown, known } = setUp([1, 2, 60]);
  Object.assign(known, { duration: 10, isWhole: false });
  const far = playback.seek(60);
  // The beginning is shown meanwhile.
  await expect.poll(() => shown).toEqual(['[]']);
  expect([playback.at, playback.awaited, playback.isWaiting]).toEqual([0, 60, true]);
  await Promise.all([playback.seek(2), far]);
  expect([playback.at, playback.awaited, shown.at(-1)]).toEqual([2, undefined, '[1 2]']);
  const end = playback.seek(1_000);
  Object.assign(known, { duration: 60, isWhole: true });
  playback.extend();
  await end;
  expect([playback.at, playback.isAtEnd, shown.at(-1)]).toEqual([60, true, '[1 2 60]']);
});
