import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import type { ChangedBy, Drained, WatchListener } from '../contract.ts';
import { ChangeFinder } from './change-finder.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A jail that computes, and maps files, as it is told to. */
class ScriptedJail {
  cpuMs: number | undefined = 1;
  alone = false;
  maps = false;
  isAlone = () => this.alone;
  usage = () => (this.cpuMs === undefined ? {} : { cpuMs: this.cpuMs });
  mapsShared = async () => this.maps;
  pidNamespace = async () => 5;
}

/** A finder that looks at once, and finds `found`. */
class Lab {
  readonly jail = new ScriptedJail();
  state: CaptureWatch = { by: 'fanotify' };
  listener: WatchListener | undefined;
  path = '';
  drained: Drained = 'unchanged';
  found = false;
  looks = 0;
  changes = 0;
  changedBy: ChangedBy | undefined;
  isWatching = true;
  /** Called when a look has begun, and its jail runs again. */
  duringLook: () => void = () => undefined;
  readonly finder: ChangeFinder;

  constructor() {
    const lab = this;
    this.finder = new ChangeFinder({
      mount: { type: 'overlay', lower: [], upper: '/upper', work: '/work', userxattr: false },
      ignored: [],
      jail: this.jail,
      watcher: {
        watch: (path, listener) => {
          lab.path = path;
          lab.listener = listener;
          return {
            get state() {
              return lab.state;
            },
            drain: async () => lab.drained,
            [Symbol.dispose]: () => {
              lab.isWatching = false;
            },
          };
        },
      },
      look: () => {
        lab.looks++;
        void this.finder.begin().then(() => {
          lab.duringLook();
          this.finder.noteLook({ hasChanged: lab.found });
        });
      },
      onChanged: (by) => {
        lab.changes++;
        lab.changedBy = by;
      },
    });
    void this.finder.begin();
    this.finder.noteLook({ hasChanged: false });
  }

  /** As much time as `count` intervals of looks. */
  pass(count: number): Promise<unknown> {
    return vi.advanceTimersByTimeAsync(count * limits.hostLookIntervalMs);
  }
}

const minute = limits.hostLookWatchedMs / limits.hostLookIntervalMs;

test('R-3 what is watched is looked at once a minute, and what the watch tells is passed on at once', async () => {
  const lab = new Lab();
  expect(lab.path).toBe('/upper');
  await lab.pass(minute - 1);
  expect([lab.looks, lab.changes]).toEqual([0, 0]);
  lab.listener?.onChanged({ pid: 7, namespace: 0, words: [] });
  expect(lab.changes).toBe(1);
  await lab.pass(1);
  expect(lab.looks).toBe(1);
  lab.finder[Symbol.dispose]();
  await lab.pass(2 * minute);
  expect([lab.looks, lab.isWatching]).toEqual([1, false]);
});

test('SN-16 H-9 the words of a process are passed on if it is of this jail, and of no other', async () => {
  const lab = new Lab();
  lab.listener?.onChanged({ pid: 7, namespace: 5, words: ['node', 'x'] });
  await vi.advanceTimersByTimeAsync(0);
  expect(lab.changedBy?.words).toEqual(['node', 'x']);
  lab.listener?.onChanged({ pid: 8, namespace: 6, words: ['backup', '--token=secret'] });
  await vi.advanceTimersByTimeAsync(0);
  expect([lab.changes, lab.changedBy?.words]).toEqual([2, []]);
  lab.finder[Symbol.dispose]();
});

test('R-3 H-4 a jail that computes and has files mapped is looked at in each interval, as no watch tells of those', async () => {
  const lab = new Lab();
  lab.jail.maps = true;
  await lab.pass(3);
  expect(lab.looks).toBe(0);
  for (const cpuMs of [2, 3, 4]) {
    lab.jail.cpuMs = cpuMs;
    await lab.pass(1);
  }
  expect(lab.looks).toBe(3);
  lab.jail.maps = false;
  lab.jail.cpuMs = undefined;
  await lab.pass(3);
  expect(lab.looks).toBe(3);
  lab.finder[Symbol.dispose]();
});

test('R-3 where nothing is watched each interval has its look, and so has one after a look that failed', async () => {
  const lab = new Lab();
  lab.state = { by: 'polling', why: 'no room for watches' };
  await lab.pass(3);
  expect(lab.looks).toBe(3);
  lab.state = { by: 'fanotify' };
  await lab.pass(3);
  expect(lab.looks).toBe(3);
  lab.finder.noteFailure();
  await lab.pass(3);
  expect(lab.looks).toBe(4);
  lab.finder[Symbol.dispose]();
});

test('R-3 watches that do not tell of what looks find are not relied on any more', async () => {
  const lab = new Lab();
  lab.found = true;
  await lab.pass(minute);
  // What was told of while a look began was no miss.
  lab.drained = 'changed';
  await lab.pass(minute);
  expect(lab.finder.state).toEqual({ by: 'fanotify' });
  lab.drained = 'unchanged';
  await lab.pass(2 * minute);
  expect(lab.finder.state).toMatchObject({ by: 'polling', why: expect.stringContaining('did not tell') });
  const { looks } = lab;
  await lab.pass(3);
  expect(lab.looks).toBe(looks + 3);
  lab.finder[Symbol.dispose]();
});

test('R-3 H-4 what a jail computes, and what changes, while a look ends is left for the next', async () => {
  const lab = new Lab();
  lab.jail.maps = true;
  lab.jail.cpuMs = 2;
  lab.duringLook = () => {
    lab.jail.cpuMs = 3;
  };
  await lab.pass(1);
  lab.duringLook = () => undefined;
  // What it has computed then may have been written through a mapping.
  await lab.pass(1);
  expect(lab.looks).toBe(2);
  await lab.pass(1);
  expect(lab.looks).toBe(2);
  lab.found = true;
  for (let round = 0; round < 3; round++) {
    lab.duringLook = () => lab.listener?.onChanged({ pid: 7, namespace: 0, words: [] });
    await lab.pass(minute);
  }
  expect(lab.finder.state).toEqual({ by: 'fanotify' });
  lab.finder[Symbol.dispose]();
});

test('R-3 what happened while watches were being set up may have changed something, unless init is alone', () => {
  const lab = new Lab();
  lab.listener?.onState();
  lab.jail.alone = true;
  lab.listener?.onState();
  expect(lab.changes).toBe(1);
  lab.finder[Symbol.dispose]();
});
