import { beforeEach, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { WatchedDisk } from './watched-disk.ts';

const mib = 1_048_576;

/** What a host would tell of the sandbox. */
let host: { usedBytes: number; cpuMs: number; written: Map<number, number | undefined> };
/** How often it was measured, and who was killed. */
let measured: number;
let killed: number[];
let disk: WatchedDisk;

beforeEach(() => {
  host = { usedBytes: 10 * mib, cpuMs: 0, written: new Map() };
  measured = 0;
  killed = [];
  const root = {
    usedBytes: async () => {
      measured++;
      return host.usedBytes;
    },
  };
  const jail = {
    isAlone: () => false,
    usage: () => ({ cpuMs: host.cpuMs }),
    written: async () => new Map(host.written),
    kill: async (pids: readonly number[]) => {
      killed.push(...pids);
      return pids.length;
    },
  };
  disk = new WatchedDisk({ root, jail }, { onGone: () => undefined });
});

/** Begins with room for 100 MiB more, measured. */
async function begin(): Promise<void> {
  disk.allow({ roomBytes: 100 * mib, totalBytes: 500 * mib });
  await disk.look(0);
  expect(measured).toBe(1);
}

test('O-9 who goes on writing past the limit is killed, and who only deletes or has a log is not', async () => {
  await begin();
  host.written = new Map([
    [7, 5 * mib],
    [8, 5 * mib],
    [9, 5 * mib],
  ]);
  host.usedBytes = 111 * mib;
  await disk.look(101 * mib);
  expect([killed, disk.kills]).toEqual([[], 0]);
  host.written = new Map([
    [7, 205 * mib],
    [8, 5 * mib],
    [9, 5 * mib + limits.diskStrayBytes],
    [10, 3 * mib], // Began since.
  ]);
  host.usedBytes = 300 * mib;
  await disk.look(0);
  expect([killed, disk.kills]).toEqual([[7, 10], 2]);
  host.written = new Map([[8, 5 * mib]]);
  host.usedBytes = 200 * mib;
  await disk.look(0);
  expect(disk.kills).toBe(2);
});

test.each([
  ['that is not told to have written, as with fallocate', new Map([[7, 0]])],
  ['of which a host tells nothing', new Map([[7, undefined]])],
])('O-9 where room goes on being taken by nobody %s, all but init end', async (_, written) => {
  await begin();
  host.written = written;
  host.usedBytes = 120 * mib;
  await disk.look(110 * mib);
  await disk.look(0);
  expect(killed).toEqual([]);
  host.usedBytes = 150 * mib;
  await disk.look(0);
  expect(killed).toEqual([7]);
});

test('is not measured while nothing says that it may have reached its limit and it computes nothing', async () => {
  await begin();
  for (let look = 0; look < 50; look++) await disk.look(1.9 * mib);
  expect(measured).toBe(1);
  await disk.look(10 * mib);
  expect(measured).toBe(2);
});

test('may take more once its tree has more room, and never more than all of its disk', async () => {
  await begin();
  host.usedBytes = 400 * mib;
  host.written = new Map([[7, mib]]);
  disk.allow({ roomBytes: 300 * mib, totalBytes: 500 * mib });
  await disk.look(0);
  host.usedBytes = 490 * mib;
  await disk.look(110 * mib);
  expect(killed).toEqual([]);
  for (const usedBytes of [510 * mib, 520 * mib]) {
    host.usedBytes = usedBytes;
    host.written = new Map([[7, usedBytes]]);
    await disk.look(100 * mib);
  }
  expect(killed).toEqual([7]);
});

test('H-8 a sandbox that goes while its disk is measured fails no look at the disks', async () => {
  const measuring = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<never>();
  const root = {
    usedBytes: () => {
      measuring.resolve();
      return gone.promise;
    },
  };
  const jail = {
    isAlone: () => false,
    usage: () => ({}),
    written: async () => new Map(),
    kill: async () => 0,
  };
  const going = new WatchedDisk({ root, jail }, { onGone: () => undefined });
  going.allow({ roomBytes: mib, totalBytes: mib });
  const looked = going.look(0);
  await measuring.promise;
  going[Symbol.dispose]();
  gone.reject(new Error('no such directory'));
  await looked;
  const still = new WatchedDisk(
    { root: { usedBytes: () => gone.promise }, jail },
    { onGone: () => undefined },
  );
  still.allow({ roomBytes: mib, totalBytes: mib });
  await expect(still.look(0)).rejects.toThrow('no such directory');
});
