import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeHost } from '../../../bridge-server/runtimes/jail/probe-host.ts';
import { whatNetworkLacks } from '../../../bridge-server/runtimes/jail/probe-network.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { tryOwnId } from '../../../bridge-server/runtimes/jail/try-jail.ts';
import { inRepository } from '../../../host/repository.ts';
import { whatOwnIdLacks } from '../what-jails-lack.ts';
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
  const sources: string[] = [];
  for (const name of ['init', 'launch']) {
    const files = (await readdir(inRepository('guest', name))).filter((file) => file.endsWith('.c'));
    sources.push(...files.map((file) => inRepository('guest', name, file)));
  }
  const wanted = sources.filter((path) => !path.endsWith('init/main.c'));
  await run('gcc', ['-std=gnu17', '-D_GNU_SOURCE', '-c', ...wanted], { cwd: folder });
}

/** A launcher that leaves steps out; what it takes for Landlock's version, where that is one of them, is `abi`. */
async function linkWithout(...steps: string[]): Promise<string> {
  return link(steps);
}

async function link(steps: readonly string[], { abi = 0 } = {}): Promise<string> {
  const launcher = join(folder, `without-${steps.join('-')}-${abi}`);
  const walls = join(import.meta.dirname, 'missing-walls.c');
  await run('gcc', ['-D_GNU_SOURCE', `-DLANDLOCK_ABI=${abi}`, '-c', walls], { cwd: folder });
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

describe.skipIf(!isRoot)('a jail that is to have a network (needs root)', () => {
  test.each([
    ['redirect_all', 'Cannot start the jail: its connections are not redirected: Network is unreachable'],
    ['netlink_ask', 'Cannot set up the network: rules of nf_tables: Protocol not supported'],
  ])('H-10 S-8 says what is missing: %s', async (step, reason) => {
    const launcher = await linkWithout(step);
    expect(await whatNetworkLacks({ launcher, folder, isolation: 'namespace' })).toBe(reason);
    await using jail = await startJail(spec(), { launcher });
    expect(jail.landlockAbi).toBeGreaterThanOrEqual(0);
  });
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

const lack = await whatOwnIdLacks();

describe.skipIf(lack)(`S-5 without namespaces it is the same${lack ? ` (not here: ${lack})` : ''}`, () => {
  const probe = async (launcher: string, number: number) =>
    (await tryOwnId(join(folder, `own-${number}`), { launcher, folder })).finding;

  test.each([
    ['confine_privileges_alone', 'Cannot confine the jail by Landlock: Operation not permitted'],
    ['seccomp_confine', 'Cannot start the jail: its own test found no filter of system calls'],
    ['rules_enforce', 'Cannot start the jail: its own test found sockets of others in reach'],
  ])('%s', async (step, reason) => {
    expect(await probe(await linkWithout(step), step.length)).toEqual({ type: 'missing', reason });
  });

  test('with a Landlock that cannot tell abstract sockets apart there is no socket at all', async () => {
    const old = await link(['landlock_abi'], { abi: 4 });
    expect(await probe(old, 1)).toEqual({ type: 'works' });
    expect(await probe(await link(['landlock_abi', 'rules_enforce'], { abi: 4 }), 2)).toEqual({
      type: 'missing',
      reason: 'Cannot start the jail: its own test found files of the host in reach',
    });
  });

  test('of a kernel without Landlock: it does not start', async () => {
    expect(await probe(await linkWithout('landlock_abi'), 3)).toEqual({
      type: 'missing',
      reason: 'Cannot start the jail: this kernel has no Landlock, or switched off, or in its first version',
    });
  });
});
