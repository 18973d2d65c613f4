import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { ProcessEvent } from '../../protocol/sandbox/processes.ts';
import { QueuedRun } from './queued-run.ts';
import { StdinBudget } from './stdin-budget.ts';

describe('S-3 a run that waits in a shell', () => {
  let budget: StdinBudget;
  const newRun = (listener: (event: ProcessEvent) => void = () => undefined) =>
    new QueuedRun({ id: 'shell', command: 'cat', stdin: true }, { pid: 0, listener, budget });

  beforeEach(() => {
    budget = new StdinBudget();
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is waited for while its input comes, and no longer', async () => {
    const run = newRun();
    const ready = run.waitForInput().then(
      () => 'complete',
      ({ code }) => code,
    );
    for (let round = 0; round < 3; round++) {
      await vi.advanceTimersByTimeAsync(limits.shellStdinTimeoutMs - 1);
      await run.write(new Uint8Array(1));
    }
    await vi.advanceTimersByTimeAsync(2 * limits.shellStdinTimeoutMs);
    expect(await ready).toBe('timeout');
    const closed = newRun();
    await closed.closeStdin();
    await closed.waitForInput();
  });

  test('H-9 holds no more input than all of them together may, until it has ended', async () => {
    const most = new Uint8Array(limits.shellStdinBytes);
    const runs = Array.from({ length: limits.shellsStdinBytes / most.length }, () => newRun());
    for (const run of runs) await run.write(most);
    const other = newRun();
    await expect(other.write(new Uint8Array(1))).rejects.toMatchObject({ code: 'busy' });
    await runs[0]?.kill();
    await other.write(most);
  });

  test('says by which signal it was ended', async () => {
    const events: ProcessEvent[] = [];
    await newRun((event) => void events.push(event)).kill('SIGTERM');
    expect(events).toMatchObject([{ type: 'exit', exitCode: 143, signal: 'SIGTERM', reason: 'killed' }]);
  });
});
