import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Inside } from './container/serve-inside.ts';
import { whatOwnIdLacks } from './what-jails-lack.ts';

const execute = promisify(execFile);
const own = (name: string) => join(import.meta.dirname, 'container', name);

let folder: string;
let container: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-container-'));
  container = join(folder, 'as-in-docker');
  const flags = ['-std=gnu17', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-static'];
  await execute('gcc', [...flags, own('as-in-docker.c'), '-o', container]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function inside(...command: string[]): Promise<string> {
  const { stdout } = await execute(container, command, { maxBuffer: 1 << 24 });
  return stdout;
}

const lack = await whatOwnIdLacks();

describe.skipIf(lack)(`as in a container of Docker's${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('there are no namespaces and no mounts to be had', async () => {
    const attempts = ['unshare -U true', 'unshare -m true', 'mount -t tmpfs none /mnt', 'unshare -p true'];
    for (const attempt of attempts) {
      await execute('unshare', ['-m', 'sh', '-c', attempt]);
      await expect(inside('/bin/sh', '-c', attempt)).rejects.toThrow(/not permitted|permission denied/i);
    }
    const { CapEff } = await statusInside();
    expect(CapEff).toBe('00000000a80425fb');
  });

  test('S-5 a bridge runs sandboxes all the same, behind Landlock, says what they lack, and leaves nothing', async () => {
    const served = JSON.parse(await inside(process.execPath, own('serve-inside.ts'))) as Inside;
    expect(served).toMatchObject({
      isolation: 'landlock',
      told: 'landlock',
      snapshots: 'copy',
      why: expect.stringMatching(
        /^no namespace: Cannot make a mount namespace: Operation not permitted; the strongest/,
      ),
      output: 'user\n/home/user\n',
      terminal: '24 80\r\n',
      afterCheckout: 'kept\n',
      forked: 'kept\n',
      left: [],
      refusal: expect.stringMatching(/^Cannot run jails on this host: no namespace: /),
    });
    const states = Object.fromEntries(served.doctor.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({
      jails: 'unsupported',
      'jails without namespaces': 'ok',
      'control groups': 'unsupported',
      'overlay roots': 'unsupported',
    });
  });
});

async function statusInside(): Promise<Record<string, string>> {
  const text = await inside('/bin/cat', '/proc/self/status');
  return Object.fromEntries(text.split('\n').map((line) => line.split(':\t') as [string, string]));
}
