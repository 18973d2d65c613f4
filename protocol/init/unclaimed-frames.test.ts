import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { type StreamFrame, UnclaimedFrames } from './unclaimed-frames.ts';

const exit: StreamFrame = {
  ...{ type: 'exit', id: 1, code: 0, signal: 0, reason: 'exited' },
  ...{ userUs: 0, systemUs: 0, durationUs: 0, maxRssKib: 0 },
};
const output = (id: number, sizeBytes = 1): StreamFrame => ({
  type: 'stdout',
  id,
  bytes: new Uint8Array(sizeBytes),
});

describe('what processes say before somebody adopts them', () => {
  test('is kept of those that may be adopted, and handed over once', () => {
    const frames = new UnclaimedFrames();
    frames.add(output(1));
    expect(frames.take(1)).toEqual([]);
    frames.clear();
    for (const frame of [output(1), output(2), exit]) frames.add(frame);
    frames.keepOnly([1, 3]);
    for (const id of [2, 3]) frames.add(output(id));
    expect([1, 2, 3].map((id) => frames.take(id))).toEqual([[output(1), exit], [], [output(3)]]);
    frames.add(output(1));
    expect(frames.take(1)).toEqual([]);
  });

  test('is bounded, but for the news that they ended', () => {
    const frames = new UnclaimedFrames();
    frames.clear();
    const most = limits.unclaimedOutputBytes - 64;
    for (const frame of [output(1, most), output(1), output(2), exit]) frames.add(frame);
    expect(frames.take(1)).toHaveLength(2);
    expect(frames.take(2)).toEqual([]);
    frames.add(output(2));
    expect(frames.take(2)).toHaveLength(1);
  });

  test('is bounded by what a guest can run, and kept until the end of each', () => {
    const frames = new UnclaimedFrames();
    frames.clear();
    const ids = Array.from({ length: limits.processes + 1 }, (_, id) => id);
    for (const id of ids)
      for (const frame of [output(id, 0), { ...exit, id }, output(id), exit]) frames.add(frame);
    expect(ids.map((id) => frames.take(id).length)).toEqual(ids.map((id) => (id < limits.processes ? 1 : 0)));
  });

  test('is bounded in pieces, too: small ones of one output are joined, and each costs more than its bytes', () => {
    const frames = new UnclaimedFrames();
    frames.clear();
    for (let at = 0; at < 20_000; at++) {
      frames.add(output(1));
      frames.add(output(2));
      frames.add({ ...output(2), type: 'stderr' } as StreamFrame);
    }
    const [ones, twos] = [frames.take(1), frames.take(2)];
    expect(ones.length).toBeLessThan(20);
    expect(ones.reduce((sum, frame) => sum + ('bytes' in frame ? frame.bytes.length : 0), 0)).toBeGreaterThan(
      3_000,
    );
    expect(twos.length).toBeLessThan(limits.unclaimedOutputBytes / 64);
  });
});
