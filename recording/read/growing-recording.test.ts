import { expect, test } from 'vitest';
import { openGrowingRecording } from './open-recording.ts';

const head = '{"version":3,"term":{"cols":80,"rows":24},"coppice":{"recording":1,"generator":"x"}}';

/** A file of a line a second, of which the first `bytes` are there until `release`. */
function heldFile({ seconds, bytes }: { readonly seconds: number; readonly bytes: number }) {
  const lines = Array.from(
    { length: seconds },
    (_, at) => `[1,"o","line ${at + 1} ${'.'.repeat(500)}\\r\\n"]`,
  );
  const file = new TextEncoder().encode(`${[head, ...lines, '[0,"m","last"]'].join('\n')}\n`);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const read = async (from: number, to: number): Promise<Uint8Array> => {
    if (to > bytes) await promise;
    return file.subarray(from, to);
  };
  return { source: { read }, release };
}

test('P-2 what is in the index is read at once, and the rest waits until it is', async () => {
  const { source, release } = heldFile({ seconds: 1_000, bytes: 100_000 });
  using recording = await openGrowingRecording(source);
  expect([recording.isWhole, recording.landmarks.length]).toEqual([false, 0]);
  const known = recording.duration;
  expect(known).toBeGreaterThan(50);
  const texts: string[] = [];
  for await (const { event } of recording.events({ from: 10, to: 12 }))
    if (event.type === 'output') texts.push(event.data.slice(0, 7));
  expect(texts).toEqual(['line 10', 'line 11']);
  expect(await recording.screenStart(1, known - 1)).toMatchObject({ at: 0, line: 1 });

  const told: string[] = [];
  const late = recording.screenStart(1, 900).then(() => told.push('900 s'));
  const found = recording.search('line 999', { most: 1 }).then(([first]) => told.push(`found ${first?.at}`));
  await recording.reach(known - 1);
  expect(told).toEqual([]);
  release();
  await Promise.all([late, found]);
  expect(told.toSorted()).toEqual(['900 s', 'found 999']);
  expect([recording.isWhole, recording.duration, recording.landmarks.length]).toEqual([true, 1_000, 1]);
});

test('who waits for more of a recording that is disposed of is told', async () => {
  const { source, release } = heldFile({ seconds: 1_000, bytes: 100_000 });
  const recording = await openGrowingRecording(source);
  const waiting = recording.reach(900);
  recording[Symbol.dispose]();
  release();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  await expect(recording.reach(900)).rejects.toMatchObject({ code: 'aborted' });
});

test('a file that fails in the middle is shown up to there', async () => {
  const { source } = heldFile({ seconds: 1_000, bytes: 100_000 });
  const read = async (from: number, to: number) => {
    if (to > 100_000) throw new Error('The network is gone');
    return source.read(from, to);
  };
  using recording = await openGrowingRecording({ read });
  await recording.reach(Number.POSITIVE_INFINITY);
  expect(recording.damage).toMatch(/The network is gone; nothing after line \d+ is shown/);
  expect(recording.duration).toBeGreaterThan(50);
});
