import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeHost } from '../../../bridge-server/runtimes/jail/probe-host.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { inRepository } from '../../../images/repository.ts';
import { launcher as builtLauncher } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-self-test-'));
  // The jail's root, who is nobody here, executes what is in it.
  await run('chmod', ['755', folder]);
  await mkdir(join(folder, 'root'));
  if (isRoot) await compileObjects();
});
afterAll(() => rm(folder, { recursive: true }));

async function compileObjects(): Promise<void> {
  const sources: string[] = [join(import.meta.dirname, 'missing-walls.c')];
  for (const name of ['init', 'launch']) {
    const files = (await readdir(inRepository('guest', name))).filter((file) => file.endsWith('.c'));
    sources.push(...files.map((file) => inRepository('guest', name, file)));
  }
  const wanted = sources.filter((path) => !path.endsWith('init/main.c'));
  await run('gcc', ['-std=gnu17', '-D_GNU_SOURCE', '-c', ...wanted], { cwd: folder });
}

/** A launcher that leaves steps out. */
async function linkWithout(...steps: string[]): Promise<string> {
  const launcher = join(folder, `without-${steps.join('-')}`);
  const objects = (await readdir(folder)).filter((name) => name.endsWith('.o'));
  const wraps = steps.map((step) => `-Wl,--wrap=${step}`);
  await run('gcc', ['-static', ...wraps, ...objects, '-o', launcher], { cwd: folder });
  return launcher;
}

const spec = () => ({
  root: { type: 'bind', path: join(folder, 'root') } as const,
  hostname: 'box',
  limits: { memoryMiB: 64, pids: 32, cpuShares: 1024 },
  cgroup: `coppice-self-test-${process.pid}`,
});

describe.skipIf(!isRoot)('a jail without a wall notices, and does not start (B2 52; needs root)', () => {
  test.each([
    ['confine_privileges', 'that set-user-ID programs work'],
    ['seccomp_confine', 'no filter of system calls'],
    ['mask_proc', 'the kernel’s settings writable'],
    ['id_map_write', 'the host’s root among its users'],
  ])('%s: %s', async (step, wall) => {
    const launcher = await linkWithout(step);
    await expect(startJail(spec(), { launcher })).rejects.toMatchObject({
      code: 'machine-failed',
      message: `Cannot start the jail: its own test found ${wall.replace('’', "'")}`,
    });
  });

  test('landlock_confine: devices that can be made', async ({ skip }) => {
    const jail = await startJail(spec(), { launcher: await builtLauncher });
    await jail[Symbol.asyncDispose]();
    skip(jail.landlockAbi === 0, 'the kernel has no Landlock');
    const launcher = await linkWithout('landlock_confine');
    await expect(startJail(spec(), { launcher })).rejects.toMatchObject({
      message: 'Cannot start the jail: its own test found devices that can be made',
    });
  });

  test('but one for which the kernel has no Landlock starts, and the host says what it lacks', async () => {
    const probe = await probeHost({ launcher: await linkWithout('landlock_confine', 'landlock_abi') });
    expect(probe.jail).toEqual({ type: 'works' });
    expect(probe.landlock).toEqual({
      type: 'missing',
      reason: expect.stringMatching(/^this kernel has it not/),
      lacks: ['ioctl on devices', 'signals and abstract sockets'],
    });
  });
});
