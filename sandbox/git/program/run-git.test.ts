import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { runGit } from './run-git.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A git that reads nothing, and does not die when it is killed. */
function stuckGit(): { readonly processes: ProcessStarter; readonly signals: (string | undefined)[] } {
  const signals: (string | undefined)[] = [];
  const processes: ProcessStarter = {
    start: async () => ({
      pid: 1,
      write: () => new Promise(() => {}),
      closeStdin: async () => {},
      resize: async () => {},
      kill: async (signal) => void signals.push(signal),
    }),
  };
  return { processes, signals };
}

test('I-3 H-8 a git that does not die keeps no caller: after its time, or once it is aborted', async () => {
  const { processes, signals } = stuckGit();
  const run = { directory: '/a', args: ['status'], what: 'Cannot tell the status', input: Uint8Array.of(1) };
  const late = expect(runGit(processes, run)).rejects.toMatchObject({ code: 'timeout' });
  await vi.advanceTimersByTimeAsync(limits.gitStepTimeoutMs + limits.gitKillTimeoutMs);
  await late;
  expect(signals).toHaveLength(1);
  const abort = new AbortController();
  const aborted = expect(runGit(processes, { ...run, signal: abort.signal })).rejects.toMatchObject({
    code: 'aborted',
  });
  await vi.advanceTimersByTimeAsync(1);
  abort.abort();
  await vi.advanceTimersByTimeAsync(limits.gitKillTimeoutMs);
  await aborted;
});
