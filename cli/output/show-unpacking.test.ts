import { expect, onTestFinished, test } from 'vitest';
import type { Progress } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import { showUnpacking } from './show-unpacking.ts';

/** What is shown, in lines. */
function shownIn(lines: string[]): Progress {
  return {
    note: (text) => void lines.push(text),
    warn: (text) => void lines.push(text),
    step: async (label, work) => {
      lines.push(label);
      const bytes = (done: number, _total: number, more?: string) => void lines.push(`${done}, ${more}`);
      try {
        return await work({ bytes, detail: (text) => void lines.push(text) });
      } finally {
        lines.push('end');
      }
    },
  };
}

const tell = (listener: ProgressListener, elapsedMs: number, text = '2,000 files') =>
  listener({ stage: 'unpack', doneBytes: elapsedMs * 10, totalBytes: 0, elapsedMs, text });

test('O-11 files that take over a second to unpack are shown until the sandbox is open, one step however often that is told', async () => {
  const lines: string[] = [];
  const result = await showUnpacking(shownIn(lines), async (listener) => {
    listener({ stage: 'download', doneBytes: 1, totalBytes: 2, elapsedMs: 5_000 });
    tell(listener, 500);
    expect(lines).toEqual([]);
    tell(listener, 1_500);
    tell(listener, 2_000, '3,000 files\u001b[2J');
    return 'open';
  });
  expect(result).toBe('open');
  expect(lines).toEqual([
    'Unpack the files',
    '15000, 2,000 files',
    String.raw`20000, 3,000 files\x1b[2J`,
    'end',
  ]);
});

test('O-11 a sandbox that does not open ends what is shown of it, and says why itself, once', async () => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));
  const refused = showUnpacking(shownIn([]), () => Promise.reject(new SandboxError('not-found', 'None')));
  await expect(refused).rejects.toMatchObject({ code: 'not-found' });
  const lines: string[] = [];
  const failing = showUnpacking(shownIn(lines), async (listener) => {
    tell(listener, 1_500);
    throw new SandboxError('storage-full', 'The disk is full');
  });
  await expect(failing).rejects.toMatchObject({ code: 'storage-full' });
  expect(lines.at(-1)).toBe('end');
  // Node tells of them before the next timer.
  await new Promise((resolve) => setTimeout(resolve));
  expect(unhandled).toEqual([]);
});
