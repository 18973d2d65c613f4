import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { LiveMachine, MachineCheckpoint } from '../machine/sandbox-machine.ts';
import { CheckpointHistory } from './checkpoint-history.ts';
import { StoredCheckpoints } from './stored-checkpoints.ts';

const snapshot = (digit: string): SnapshotId => digit.repeat(64) as SnapshotId;
const checkpointBytes = limits.checkpointsBytes / 10;

/** A machine that is none: it counts what is kept of it. */
class CountingMachine implements LiveMachine {
  #kept = new Set<MachineCheckpoint>();
  readonly tracking = 'marks';
  wentTo: MachineCheckpoint | undefined;
  get usedBytes(): number {
    return this.#kept.size * checkpointBytes;
  }
  take(): MachineCheckpoint {
    const checkpoint = { tree: {} } as MachineCheckpoint;
    this.#kept.add(checkpoint);
    return checkpoint;
  }
  has(checkpoint: MachineCheckpoint): boolean {
    return this.#kept.has(checkpoint);
  }
  async restore(checkpoint: MachineCheckpoint): Promise<void> {
    this.wentTo = checkpoint;
  }
  keepOnly(checkpoints: readonly MachineCheckpoint[]): void {
    this.#kept = new Set(checkpoints);
  }
}

describe('the checkpoints of a machine', () => {
  let live: CountingMachine | undefined;
  let head: SnapshotId;
  let isRunning: boolean;
  let told: number;
  let checkpoints: CheckpointHistory;
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
    checkpoints = new CheckpointHistory({
      machine,
      head: () => head,
      isRunning: () => isRunning,
      stored: new StoredCheckpoints({ store, history: History.open(store) }),
      onActivity: () => undefined,
      onChange: () => told++,
    });
  });
  afterEach(() => {
    checkpoints[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('has a checkpoint for each command, and for each second in which something happened', () => {
    checkpoints.commandEnded('make');
    vi.advanceTimersByTime(10_000);
    expect(checkpoints.list().checkpoints.map(({ cause }) => cause)).toEqual([
      { type: 'command', command: 'make' },
    ]);
    checkpoints.noteActivity();
    vi.advanceTimersByTime(5_000);
    expect(checkpoints.list().checkpoints).toHaveLength(2);
    isRunning = true;
    checkpoints.noteActivity();
    vi.advanceTimersByTime(5_000);
    expect(checkpoints.list().checkpoints).toHaveLength(7);
    isRunning = false;
    vi.advanceTimersByTime(60_000);
    expect(checkpoints.list().checkpoints).toHaveLength(7);
    expect(told).toBeGreaterThan(2);
  });

  test('takes as many each second as it is told, or none but those of commands', () => {
    isRunning = true;
    checkpoints.configure({ perSecond: 4 });
    checkpoints.noteActivity();
    vi.advanceTimersByTime(2_000);
    expect(checkpoints.list().checkpoints).toHaveLength(8);
    checkpoints.configure({ perSecond: 0 });
    vi.advanceTimersByTime(2_000);
    checkpoints.commandEnded('ls');
    expect(
      checkpoints
        .list()
        .checkpoints.map(({ cause }) => cause.type)
        .slice(8),
    ).toEqual(['command']);
    expect(() => checkpoints.configure({ perSecond: limits.checkpointsPerSecond.max + 1 })).toThrow(
      '0 to 20',
    );
    expect(() => checkpoints.configure({ perSecond: Number.NaN })).toThrow('0 to 20');
  });

  test('never holds more than its budget, and goes to what it holds only', async () => {
    for (let count = 0; count < 50; count++) {
      checkpoints.commandEnded(`command ${count}`);
      vi.advanceTimersByTime(1_000);
    }
    const { usedBytes, budgetBytes, ...list } = checkpoints.list();
    expect(usedBytes).toBeLessThanOrEqual(budgetBytes);
    expect(list.checkpoints.at(-1)?.cause).toEqual({ type: 'command', command: 'command 49' });
    const last = checkpoints.get(list.checkpoints.at(-1)?.id ?? 0);
    await checkpoints.restore(last);
    expect(live?.wentTo).toBe(last.machine);
    expect(() => checkpoints.get(1)).toThrow('There is no checkpoint 1');
  });

  test('of a machine that was started anew is gone, and of one that keeps none is unsupported', () => {
    checkpoints.commandEnded('one');
    vi.advanceTimersByTime(limits.checkpointsToldEveryMs);
    live = new CountingMachine();
    told = 0;
    checkpoints.noteReplaced();
    vi.advanceTimersByTime(limits.checkpointsToldEveryMs);
    expect(told).toBe(1);
    expect(checkpoints.list().checkpoints).toEqual([]);
    live = undefined;
    expect(checkpoints.take({ type: 'before-restore' })).toBeUndefined();
    expect(() => checkpoints.list()).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });

  test('has a screen of every time since the first was shown, also while a checkout starts another shell', () => {
    const openTerminal = () =>
      checkpoints.terminals.open({
        show: () => undefined,
        onRestored: () => undefined,
        command: () => undefined,
      });
    const take = () => checkpoints.take({ type: 'interval' })?.id ?? 0;
    const screenOf = (id: number, pid: number) => new TextDecoder().decode(checkpoints.screenAt(id, pid));
    const before = take();
    const terminal = Object.assign(openTerminal(), { pid: 7 });
    checkpoints.noteOutput(terminal, new TextEncoder().encode('then'));
    take();
    terminal.close();
    const between = take();
    const next = openTerminal();
    const starting = take();
    next.pid = 8;
    const started = take();
    checkpoints.noteOutput(next, new TextEncoder().encode('now'));
    const now = take();
    expect([before, between, starting, started, now].map((id) => screenOf(id, 8))).toEqual([
      '',
      'then',
      'then',
      'then',
      'now',
    ]);
  });

  test('forgets checkpoints whose files may be freed: those of a forgotten head, or captured in a forgotten snapshot', () => {
    checkpoints.commandEnded('in a, captured in b');
    checkpoints.noteSnapshot(snapshot('b'));
    head = snapshot('b');
    checkpoints.commandEnded('in b, captured in c');
    checkpoints.noteSnapshot(snapshot('c'));
    head = snapshot('c');
    checkpoints.commandEnded('in c, not captured');
    checkpoints.keepWithin((id) => id !== snapshot('b'));
    expect(checkpoints.list().checkpoints.map(({ cause }) => cause)).toEqual([
      { type: 'command', command: 'in c, not captured' },
    ]);
  });
});
