import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { inRepository } from '../../../images/repository.ts';

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

/** A launcher that leaves `step` out. */
async function linkWithout(step: string): Promise<string> {
  const launcher = join(folder, `without-${step}`);
  const objects = (await readdir(folder)).filter((name) => name.endsWith('.o'));
  await run('gcc', ['-static', `-Wl,--wrap=${step}`, ...objects, '-o', launcher], { cwd: folder });
  return launcher;
}

describe.skipIf(!isRoot)('a jail without a wall notices, and does not start (B2 52; needs root)', () => {
  test.each([
    ['confine_privileges', 'that set-user-ID programs work'],
    ['seccomp_confine', 'no filter of system calls'],
    ['mask_proc', 'the kernel’s settings writable'],
    ['id_map_write', 'the host’s root among its users'],
  ])('%s: %s', async (step, wall) => {
    const launcher = await linkWithout(step);
    const spec = {
      root: { type: 'bind', path: join(folder, 'root') } as const,
      hostname: 'box',
      limits: { memoryMiB: 64, pids: 32, cpuShares: 1024 },
      cgroup: `coppice-self-test-${process.pid}`,
    };
    await expect(startJail(spec, { launcher })).rejects.toMatchObject({
      code: 'machine-failed',
      message: `Cannot start the jail: its own test found ${wall.replace('’', "'")}`,
    });
  });
});
