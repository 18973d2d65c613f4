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

  test('rests after a long capture, so that a machine is not held for most of its time, and not when a command ends', async () => {
    timer.touch();
    vi.advanceTimersByTime(limits.captureQuietMs);
    await vi.advanceTimersByTimeAsync(5_000);
    release();
    await vi.advanceTimersByTimeAsync(0);
    timer.touch();
    await vi.advanceTimersByTimeAsync(5_000 * limits.captureRestShare - 1);
    expect(captures).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(captures).toBe(2);
    await vi.advanceTimersByTimeAsync(5_000);
    release();
    await vi.advanceTimersByTimeAsync(0);
    timer.hurry();
    // What changes before its turn does not put it off.
    timer.touch();
    await vi.advanceTimersByTimeAsync(0);
    expect(captures).toBe(3);
  });

  test('H-3 holds programs for one part of a hundred of the time at most, where nothing has asked for it', async () => {
    let stoppedMs = 0;
    const capture = async () => {
      captures++;
      stoppedMs += 40;
    };
    const options = { isCommandRunning: () => false, stoppedMs: () => stoppedMs };
    const stopping = new CaptureTimer(capture, options);
    stopping.touch();
    await vi.advanceTimersByTimeAsync(limits.captureQuietMs);
    stopping.touch();
    await vi.advanceTimersByTimeAsync(40 * limits.captureStopShare - 1);
    expect(captures).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(captures).toBe(2);
    stopping.hurry();
    await vi.advanceTimersByTimeAsync(0);
    expect(captures).toBe(3);
    // The end of a command has asked for it.
    stopping.touch();
    await vi.advanceTimersByTimeAsync(limits.captureQuietMs);
    expect(captures).toBe(4);
  });

  test('R-3 is put off while something is half done, but not for longer than was said', () => {
    timer.touch();
    const { end } = timer.pause(60_000);
    timer.hurry();
    timer.touch();
    vi.advanceTimersByTime(59_999);
    expect(captures).toBe(0);
    end();
    end();
    vi.advanceTimersByTime(0);
    expect(captures).toBe(1);
    release();
    timer.pause(60_000);
    timer.touch();
    vi.advanceTimersByTime(59_999);
    expect(captures).toBe(1);
  });

  test('R-3 what is half done is begun once no capture is under way that could see it', async () => {
    timer.hurry();
    vi.advanceTimersByTime(0);
    timer.hurry();
    const begun = timer.pause(60_000).begun.then(() => captures);
    await vi.advanceTimersByTimeAsync(1_000);
    release();
    expect(await begun).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(captures).toBe(1);
    await timer.pause(60_000).begun;
  });

  test('R-3 a command that writes all the time is captured meanwhile all the same', () => {
    isCommandRunning = true;
    for (let atMs = 0; atMs < limits.captureMaxDelayInCommandMs; atMs += 100) {
      expect(captures).toBe(0);
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

  test('R-3 what is due can be waited for, and what is not, or is put off, is not waited for', async () => {
    timer.touch();
    await timer.settle();
    expect(captures).toBe(0);
    timer.hurry();
    const settled = timer.settle().then(() => captures);
    await Promise.resolve();
    release();
    expect(await settled).toBe(1);
    vi.advanceTimersByTime(0);
    expect(captures).toBe(1);
    timer.hurry();
    timer.pause(60_000);
    await timer.settle();
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

  test('R-3 H-6 work in several steps is one capture, right after it, however long each step takes', async () => {
    const step = Promise.withResolvers<void>();
    timer.touch();
    const work = timer.during(() => step.promise);
    await vi.advanceTimersByTimeAsync(limits.captureMaxDelayMs + 1);
    timer.touch();
    await vi.advanceTimersByTimeAsync(limits.captureMaxDelayMs + 1);
    timer.hurry(); // Another command ended.
    await vi.advanceTimersByTimeAsync(0);
    expect(captures).toBe(0);
    step.resolve();
    await work;
    await vi.advanceTimersByTimeAsync(0);
    expect(captures).toBe(1);
  });

  test('R-3 H-6 it does not begin while a capture runs', async () => {
    const steps: string[] = [];
    timer.hurry();
    await vi.advanceTimersByTimeAsync(0);
    const work = timer.during(async () => void steps.push(`after ${captures}`));
    await vi.advanceTimersByTimeAsync(100);
    expect(steps).toEqual([]);
    release();
    await work;
    expect(steps).toEqual(['after 1']);
  });

  test('R-3 it fails as the work does, and is captured; work without end does not hold back for ever', async () => {
    const failing = timer.during(() => Promise.reject(new Error('no such directory')));
    await expect(failing).rejects.toThrow('no such directory');
    await vi.advanceTimersByTimeAsync(0);
    expect(captures).toBe(1);
    release();
    await vi.advanceTimersByTimeAsync(0);
    void timer.during(() => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(0);
    timer.touch();
    await vi.advanceTimersByTimeAsync(limits.captureMaxDelayInCommandMs);
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
