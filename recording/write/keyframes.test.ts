import { describe, expect, test } from 'vitest';
import type { RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { loadHeadlessScreen } from '../screen/headless-screen.ts';
import { type KeyframeEvent, Keyframes } from './keyframes.ts';

const size = { columns: 80, rows: 24 };
const output = (data: string, terminal = 1): RecordingEvent => ({ type: 'output', terminal, data });

/** A build's output, 32 KiB a second, and an editor's that uses another screen. */
function session(): RecordingEvent[] {
  const events: RecordingEvent[] = [];
  for (let step = 0; step < 40; step++) {
    const line = `\x1b[3${step % 8}mstep ${step}\x1b[0m wide: \u4e2d\u6587 \u{1f600} ${'.'.repeat(step)}\r\n`;
    events.push(output(line.repeat(Math.ceil(32_768 / line.length))));
    if (step === 12) events.push({ type: 'resize', terminal: 1, columns: 100, rows: 30 });
    if (step === 20) events.push(output('\x1b[?1049h\x1b[2J\x1b[5;10Han editor\x1b[?25l'));
    if (step === 30) events.push(output('\x1b[?1049l\x1b[?25h'));
  }
  return events;
}

async function keyframesOf(
  events: readonly RecordingEvent[],
): Promise<{ keyframe: KeyframeEvent; after: number }[]> {
  using keyframes = new Keyframes(size);
  const made: { keyframe: KeyframeEvent; after: number }[] = [];
  for (const [index, event] of events.entries()) {
    const keyframe = keyframes.after(event, index);
    if (keyframe !== undefined) made.push({ keyframe, after: index });
    await keyframes.loaded();
  }
  return made;
}

describe('keyframes', () => {
  test('one comes after every so much output, and paints what all output before it shows', async () => {
    const events = session();
    const made = await keyframesOf(events);
    expect(made.length).toBeGreaterThanOrEqual(4);
    const make = await loadHeadlessScreen();
    for (const { keyframe, after } of made) {
      using full = make(size.columns, size.rows);
      for (const event of events.slice(0, after + 1)) {
        if (event.type === 'output') full.write(event.data);
        if (event.type === 'resize') full.resize(event.columns, event.rows);
      }
      using painted = make(keyframe.columns, keyframe.rows);
      painted.write(keyframe.data);
      for (const screen of [full, painted]) screen.write('\x1b[1mmore\r\n');
      expect(painted.paint()).toBe(full.paint());
    }
    expect(made.some(({ keyframe }) => keyframe.data.includes('\x1b[?1049h'))).toBe(true);
    expect(made.map(({ keyframe }) => keyframe.columns)).toContain(100);
  });

  test('each terminal has its own, until it ends; a flood has them no more often than every 2 s', async () => {
    const flood = output('a line\r\n'.repeat(4_096), 2);
    const terminal: RecordingEvent = { type: 'terminal', terminal: 2, title: '', ...size };
    const made = await keyframesOf([terminal, ...Array.from({ length: 40 }, () => flood)]);
    expect(new Set(made.map(({ keyframe }) => keyframe.terminal))).toEqual(new Set([2]));
    const ended = await keyframesOf([terminal, { type: 'terminal-end', terminal: 2 }, flood, flood]);
    expect(ended).toEqual([]);
    using keyframes = new Keyframes(size);
    keyframes.after(output('a'.repeat(recordingLimits.keyframeEveryCharacters)), 0);
    await keyframes.loaded();
    const big = output('a'.repeat(recordingLimits.keyframeEveryCharacters));
    expect([0, 0.5, 1.9, 2, 2.1].map((at) => keyframes.after(big, at) !== undefined)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test('no control sequence stops the thread', async () => {
    const hostile = [
      '\x1b[2147483647b',
      '\x1b[2147483647L',
      '\x1b[2147483647S',
      '\x1b]8;;http://a\x07',
      'a\u0301\u0301\u0301',
    ];
    const events = hostile.map((each) => output(`A${each}`.repeat(4_000)));
    await keyframesOf([...Array.from({ length: 8 }, () => output('x'.repeat(32_768))), ...events]);
  });

  test('without an emulator, and of a size that no screen has, a recording goes on', async () => {
    using keyframes = new Keyframes({ columns: 65_535, rows: 65_535 }, () =>
      Promise.reject(new Error('gone')),
    );
    for (let at = 0; at < 20; at++) expect(keyframes.after(output('x'.repeat(32_768)), at)).toBe(undefined);
    await keyframes.loaded();
    expect(keyframes.after(output('x'), 30)).toBe(undefined);
  });
});
