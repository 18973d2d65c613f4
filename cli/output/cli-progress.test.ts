import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cliProgress } from './cli-progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function keeping(written: string[]): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
}

test('O-11 a log has what is made and how far it is, a few lines a minute, and nothing of what is soon done', async () => {
  const written: string[] = [];
  const progress = cliProgress(keeping(written), {});
  progress.note('Make the image debian');
  await progress.step('Look', async () => undefined);
  const done = Promise.withResolvers<void>();
  const step = progress.step('Unpack packages', async ({ bytes }) => {
    bytes(12_000_000, 30_000_000);
    await done.promise;
  });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(written).toEqual(['coppice: Make the image debian\n']);
  await vi.advanceTimersByTimeAsync(60_000);
  const line = 'coppice: Unpack packages: 12.0 MB of 30.0 MB …\n';
  expect(written.slice(1)).toEqual([line, line, line, line]);
  done.resolve();
  await step;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toHaveLength(5);
});

test('O-11 nothing is said of what is made where a command is to be quiet', async () => {
  const written: string[] = [];
  const progress = cliProgress(keeping(written), { quiet: true });
  const done = Promise.withResolvers<void>();
  const step = progress.step('Unpack packages', () => done.promise);
  progress.note('Make the image debian');
  await vi.advanceTimersByTimeAsync(60_000);
  done.resolve();
  await step;
  expect(written).toEqual([]);
});
