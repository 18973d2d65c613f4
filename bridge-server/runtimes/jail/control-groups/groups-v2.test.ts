import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlGroups } from './control-groups.ts';
import { V2GroupMaker } from './groups-v2.ts';

/** A folder instead of a cgroup2 mount: what is written where, not what the kernel makes of it. */
let parent: string;
let groups: ControlGroups;
const limits = {
  memoryMiB: 64,
  pids: 10,
  cpuShares: 1024,
  cpus: 0.5,
  io: { disk: '8:0', mibPerSecond: 3 },
};
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'coppice-cgroup2-'));
  groups = await new V2GroupMaker(parent).make('jail', limits);
});
afterEach(() => rm(parent, { recursive: true }));

const setting = (name: string) => readFile(join(parent, 'jail', name), 'utf8');

describe('control groups of version 2', () => {
  test('have the limits under their names there', async () => {
    expect(await setting('memory.max')).toBe('67108864');
    expect(await setting('memory.swap.max')).toBe('0');
    expect(await setting('pids.max')).toBe('10');
    expect(await setting('cpu.weight')).toBe('39');
    expect(await setting('cpu.max')).toBe('50000 100000');
    expect(await setting('io.max')).toBe('8:0 rbps=3145728 wbps=3145728');
    expect(groups.joins).toEqual([join(parent, 'jail/cgroup.procs')]);
    expect(await new V2GroupMaker(parent).list()).toEqual(['jail']);
  });

  test('are frozen when the kernel says so', async () => {
    await writeFile(join(parent, 'jail/cgroup.events'), 'populated 1\nfrozen 1\n');
    await groups.freeze();
    expect(await setting('cgroup.freeze')).toBe('1');
    await writeFile(join(parent, 'jail/cgroup.events'), 'populated 1\nfrozen 0\n');
    await groups.thaw();
    expect(await setting('cgroup.freeze')).toBe('0');
  });

  test('count what was killed, and list what runs', async () => {
    await writeFile(join(parent, 'jail/memory.events'), 'max 12\noom 3\noom_kill 2\noom_group_kill 0\n');
    await writeFile(join(parent, 'jail/cgroup.procs'), '12\n345\n');
    expect(groups.outOfMemoryKills()).toBe(2);
    expect(await groups.processes()).toEqual([12, 345]);
  });

  test('O-8 H-10 tell what has been used as far as the kernel says it, and no 0 for the rest', async () => {
    const kernelSays = { 'cpu.stat': 'usage_usec 2500\nuser_usec 2000\n', 'memory.current': '4096\n' };
    for (const [name, text] of Object.entries(kernelSays)) await writeFile(join(parent, 'jail', name), text);
    expect(groups.usage()).toEqual({ cpuMs: 2.5, memoryBytes: 4_096 });
    await writeFile(join(parent, 'jail/memory.peak'), '8192\n');
    await writeFile(join(parent, 'jail/pids.current'), '3\n');
    await writeFile(join(parent, 'jail/memory.events'), 'oom 0\noom_kill 0\n');
    expect(groups.usage()).toEqual({
      ...{ cpuMs: 2.5, memoryBytes: 4_096, memoryPeakBytes: 8_192 },
      ...{ threads: 3, outOfMemoryKills: 0 },
    });
  });

  test('are made once', async () => {
    const second = new V2GroupMaker(parent).make('jail', limits);
    await expect(second).rejects.toMatchObject({ code: 'already-exists' });
  });
});
