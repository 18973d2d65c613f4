import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { CaptureTimer } from './capture-timer.ts';

describe('the capture timer', () => {
  let captures: number;
  let isCommandRunning: boolean;
  let release: () => void;
  let timer: CaptureTimer;

  beforeEach(() => {
    vi.useFakeTimers();
    captures = 0;
    isCommandRunning = false;
    release = () => undefined;
    timer = new CaptureTimer(
      () => {
        captures++;
        return new Promise((resolve) => {
          release = resolve;
        });
      },
      { isCommandRunning: () => isCommandRunning },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('R-3 captures once it has been quiet, not before', () => {
    timer.touch();
    vi.advanceTimersByTime(limits.captureQuietMs - 1);
    timer.touch();
    vi.advanceTimersByTime(limits.captureQuietMs - 1);
    expect(captures).toBe(0);
    vi.advanceTimersByTime(1);
    expect(captures).toBe(1);
  });

  test('R-3 does not wait for ever while changes go on', () => {
    for (let ms = 0; ms <= limits.captureMaxDelayMs; ms += 100) {
      timer.touch();
      vi.advanceTimersByTime(100);
    }
    expect(captures).toBe(1);
  });

  test('R-3 waits longer while a command runs, and captures at its end', () => {
    isCommandRunning = true;
    timer.touch();
    vi.advanceTimersByTime(limits.captureQuietMs + 1);
    expect(captures).toBe(0);
    isCommandRunning = false;
    timer.hurry();
    vi.advanceTimersByTime(0);
    expect(captures).toBe(1);
  });

  test('R-3 what happens during a capture starts the next one, at once when a command ended', async () => {
    timer.hurry();
    vi.advanceTimersByTime(0);
    timer.touch();
    timer.hurry();
    timer.touch();
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(captures).toBe(2);
  });

  test('H-8 nothing is captured once it is disposed of', async () => {
    timer.touch();
    await timer[Symbol.asyncDispose]();
    vi.advanceTimersByTime(limits.captureMaxDelayMs);
    timer.touch();
    vi.advanceTimersByTime(limits.captureMaxDelayMs);
    expect(captures).toBe(0);
  });
});
