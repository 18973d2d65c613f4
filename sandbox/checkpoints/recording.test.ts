import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { LiveMachine, MachineMoment } from '../machine/sandbox-machine.ts';
import { Recording } from './recording.ts';
import { StoredMoments } from './stored-moments.ts';

const snapshot = (digit: string): SnapshotId => digit.repeat(64) as SnapshotId;
const momentBytes = limits.recordingBytes / 10;

/** A machine that is none: it counts what is kept of it. */
class CountingMachine implements LiveMachine {
  #kept = new Set<MachineMoment>();
  readonly tracking = 'marks';
  wentTo: MachineMoment | undefined;
  get usedBytes(): number {
    return this.#kept.size * momentBytes;
  }
  take(): MachineMoment {
    const moment = { tree: {} } as MachineMoment;
    this.#kept.add(moment);
    return moment;
  }
  has(moment: MachineMoment): boolean {
    return this.#kept.has(moment);
  }
  async goTo(moment: MachineMoment): Promise<void> {
    this.wentTo = moment;
  }
  keepOnly(moments: readonly MachineMoment[]): void {
    this.#kept = new Set(moments);
  }
}

describe('a recording', () => {
  let live: CountingMachine | undefined;
  let head: SnapshotId;
  let isRunning: boolean;
  let told: number;
  let recording: Recording;
  const machine = {
    get live() {
      return live;
    },
  };
  beforeEach(() => {
    vi.useFakeTimers();
    live = new CountingMachine();
    head = snapshot('a');
    isRunning = false;
    told = 0;
    const store = new MemoryStore();
    recording = new Recording({
      machine,
      head: () => head,
      isRunning: () => isRunning,
      stored: new StoredMoments({ store, history: History.open(store) }),
      onActivity: () => undefined,
      onChange: () => told++,
    });
  });
  afterEach(() => {
    recording[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('has a moment for each command, and for each second in which something happened', () => {
    recording.commandEnded('make');
    vi.advanceTimersByTime(10_000);
    expect(recording.view().moments.map(({ cause }) => cause)).toEqual([
      { type: 'command', command: 'make' },
    ]);
    recording.noteActivity();
    vi.advanceTimersByTime(5_000);
    expect(recording.view().moments).toHaveLength(2);
    isRunning = true;
    recording.noteActivity();
    vi.advanceTimersByTime(5_000);
    expect(recording.view().moments).toHaveLength(7);
    isRunning = false;
    vi.advanceTimersByTime(60_000);
    expect(recording.view().moments).toHaveLength(7);
    expect(told).toBeGreaterThan(2);
  });

  test('takes as many each second as it is told, or none but those of commands', () => {
    isRunning = true;
    recording.set({ perSecond: 4 });
    recording.noteActivity();
    vi.advanceTimersByTime(2_000);
    expect(recording.view().moments).toHaveLength(8);
    recording.set({ perSecond: 0 });
    vi.advanceTimersByTime(2_000);
    recording.commandEnded('ls');
    expect(
      recording
        .view()
        .moments.map(({ cause }) => cause.type)
        .slice(8),
    ).toEqual(['command']);
    expect(() => recording.set({ perSecond: limits.recordingPerSecond.max + 1 })).toThrow('0 to 20');
    expect(() => recording.set({ perSecond: Number.NaN })).toThrow('0 to 20');
  });

  test('never holds more than its budget, and goes to what it holds only', async () => {
    for (let count = 0; count < 50; count++) {
      recording.commandEnded(`command ${count}`);
      vi.advanceTimersByTime(1_000);
    }
    const { moments, usedBytes, budgetBytes } = recording.view();
    expect(usedBytes).toBeLessThanOrEqual(budgetBytes);
    expect(moments.at(-1)?.cause).toEqual({ type: 'command', command: 'command 49' });
    const last = recording.get(moments.at(-1)?.id ?? 0);
    await recording.goTo(last);
    expect(live?.wentTo).toBe(last.machine);
    expect(() => recording.get(1)).toThrow('There is no moment 1');
  });

  test('of a machine that was started anew is gone, and of one that keeps none is unsupported', () => {
    recording.commandEnded('one');
    live = new CountingMachine();
    expect(recording.view().moments).toEqual([]);
    live = undefined;
    expect(recording.take({ type: 'left' })).toBeUndefined();
    expect(() => recording.view()).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });

  test('forgets moments whose files may be freed: those of a forgotten head, or captured in a forgotten snapshot', () => {
    recording.commandEnded('in a, captured in b');
    recording.noteSnapshot(snapshot('b'));
    head = snapshot('b');
    recording.commandEnded('in b, captured in c');
    recording.noteSnapshot(snapshot('c'));
    head = snapshot('c');
    recording.commandEnded('in c, not captured');
    recording.keepWithin((id) => id !== snapshot('b'));
    expect(recording.view().moments.map(({ cause }) => cause)).toEqual([
      { type: 'command', command: 'in c, not captured' },
    ]);
  });
});
