import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { WatchedFolder } from './watched-folder.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const by = { pid: 1, namespace: 0, words: [] };

function open() {
  const calls: string[] = [];
  const folder = new WatchedFolder('/folder', {
    ignored: [],
    listener: { onChanged: () => calls.push('changed'), onState: () => calls.push('state') },
    drain: () => calls.push('drain'),
    remove: () => calls.push('remove'),
  });
  folder.noteState({ by: 'fanotify' });
  expect(calls.splice(0)).toEqual(['state']);
  return { folder, calls };
}

test('R-3 what is told before a watch has drained is its answer, and what comes after is told', async () => {
  const { folder, calls } = open();
  const drained = folder.drain();
  folder.noteChange(by);
  folder.noteDrained();
  folder.noteChange(by);
  expect(await drained).toBe('changed');
  expect(calls).toEqual(['drain', 'changed']);
});

test('R-3 a watch that does not drain in time holds nobody up, and what it told meanwhile is not lost', async () => {
  const { folder, calls } = open();
  const late = folder.drain();
  folder.noteChange(by);
  await vi.advanceTimersByTimeAsync(limits.hostWatchDrainMs);
  expect(await late).toBe('unknown');
  expect(calls.splice(0)).toEqual(['drain', 'changed']);
  // The answer to the first is not one to the second.
  const next = folder.drain();
  folder.noteDrained();
  folder.noteChange(by);
  folder.noteDrained();
  expect(await next).toBe('changed');
});

test('R-3 a watch that ends answers what it was asked, and is asked no more', async () => {
  const { folder, calls } = open();
  const drained = folder.drain();
  folder.noteState({ by: 'polling', why: 'it has ended' });
  expect(await drained).toBe('unknown');
  expect(await folder.drain()).toBe('unknown');
  expect(calls).toEqual(['drain', 'state']);
  folder[Symbol.dispose]();
  folder[Symbol.dispose]();
  folder.noteChange(by);
  expect(calls).toEqual(['drain', 'state', 'remove']);
});
