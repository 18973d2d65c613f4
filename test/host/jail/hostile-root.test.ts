import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { controlGroupsNamed, stageMounts } from './leftovers.ts';
import { launcher } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
let folder: string;
/** Where a link that escapes would lead; it stays as it is. */
let canary: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-hostile-'));
  canary = join(folder, 'canary');
  for (const name of ['root', 'canary']) await mkdir(join(folder, name));
});
afterEach(() => rm(folder, { recursive: true }));

const spec = () => ({
  root: { type: 'bind', path: join(folder, 'root') } as const,
  hostname: 'box',
  limits: { memoryMiB: 64, pids: 32, cpuShares: 1024 },
  cgroup: `coppice-hostile-${process.pid}`,
});

async function startAndEnd(): Promise<void> {
  const jail = await startJail(spec(), { launcher: await launcher });
  await jail[Symbol.asyncDispose]();
}

describe.skipIf(!isRoot)('a root that an agent wrote (needs root)', () => {
  test('is completed where it is empty', async () => {
    await startAndEnd();
    expect((await readdir(join(folder, 'root'))).sort()).toEqual(['dev', 'home', 'proc', 'run', 'sys']);
  });

  test.each(
    ['proc', 'dev', 'sys', 'run'].flatMap((place) =>
      ['link to the host', 'link upwards', 'link inside', 'file'].map((kind) => ({ place, kind })),
    ),
  )('B2 3 6: with a $kind as /$place does not start, and nothing of the host is touched', async (bad) => {
    const { place, kind } = bad;
    const path = join(folder, 'root', place);
    const target = {
      'link to the host': canary,
      'link upwards': '../../../../../../tmp',
      'link inside': 'etc',
    }[kind];
    if (target === undefined) await writeFile(path, '');
    else await symlink(target, path);
    const mounts = await stageMounts();
    await expect(startAndEnd()).rejects.toMatchObject({
      code: 'machine-failed',
      message: expect.stringContaining(`Cannot mount /${place}: it is not a plain directory in the root`),
    });
    expect(await readdir(canary)).toEqual([]);
    expect(await stageMounts()).toEqual(mounts);
    expect(await controlGroupsNamed(spec().cgroup)).toEqual([]);
  });

  test('B2 5: with links for devices and terminals gets its own all the same', async () => {
    const dev = join(folder, 'root/dev');
    await mkdir(join(dev, 'pts'), { recursive: true });
    const pattern = await readFile('/proc/sys/kernel/core_pattern', 'utf8');
    for (const name of ['null', 'console', 'ptmx', 'shm', 'pts/0'])
      await symlink('/proc/sys/kernel/core_pattern', join(dev, name));
    await startAndEnd();
    expect(await readFile('/proc/sys/kernel/core_pattern', 'utf8')).toBe(pattern);
  });

  test('B2 3: with a link as home, or as the folder of homes, reaches nothing outside', async () => {
    await symlink(canary, join(folder, 'root/home'));
    await startAndEnd().catch(() => undefined);
    expect(await readdir(canary)).toEqual([]);
  });

  test('that is not there, or is a link itself, is refused', async () => {
    await rm(join(folder, 'root'), { recursive: true });
    await expect(startAndEnd()).rejects.toMatchObject({ code: 'not-found' });
  });

  test('with a launcher that is no program fails at once, and leaves no group', async () => {
    const starting = startJail(spec(), { launcher: join(folder, 'nothing') });
    await expect(starting).rejects.toMatchObject({ code: 'machine-failed' });
    expect(await controlGroupsNamed(spec().cgroup)).toEqual([]);
  });

  test('B2 19: shared as a lower layer is not changed by what runs on it', async () => {
    const lower = join(folder, 'lower');
    await cp(join(folder, 'root'), lower, { recursive: true });
    await writeFile(join(lower, 'file'), 'base');
    for (const name of ['upper', 'work']) await mkdir(join(folder, name));
    const root = {
      type: 'overlay' as const,
      lower: [lower],
      upper: join(folder, 'upper'),
      work: join(folder, 'work'),
      userxattr: false,
    };
    const jail = await startJail({ ...spec(), root }, { launcher: await launcher });
    await jail[Symbol.asyncDispose]();
    expect(await readdir(lower)).toEqual(['file']);
    expect((await readdir(join(folder, 'upper'))).sort()).toEqual(['dev', 'home', 'proc', 'run', 'sys']);
  });
});
