import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { probeHost } from '../../../bridge-server/runtimes/jail/probe-host.ts';
import { removeLeftJails } from '../../../bridge-server/runtimes/jail/remove-left-jails.ts';
import { controlGroupsNamed, stageMounts } from './leftovers.ts';
import { launcher } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
const script = fileURLToPath(new URL('./run-frozen.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-left-'));
  await mkdir(join(folder, 'root'));
});
afterEach(() => rm(folder, { recursive: true }));

describe.skipIf(!isRoot)('after a bridge was killed (needs root)', () => {
  test.each(['frozen', 'running'])('what is left of a %s jail is found and removed', async (state) => {
    const name = `coppice-left-${process.pid}-${state}`;
    const mounts = await stageMounts();
    const args = [script, await launcher, join(folder, 'root'), name, state];
    const bridge = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(bridge.stdout, 'data');
    bridge.kill('SIGKILL');
    await once(bridge, 'exit');
    expect(await controlGroupsNamed(name)).not.toEqual([]);
    expect(await removeLeftJails(`coppice-left-${process.pid}-`)).toBe(1);
    expect(await controlGroupsNamed(name)).toEqual([]);
    expect(await stageMounts()).toEqual(mounts);
    expect(await removeLeftJails(`coppice-left-${process.pid}-`)).toBe(0);
  });
});

test('a host tells what works on it, and why the rest does not', async () => {
  const probe = await probeHost({ launcher: await launcher });
  expect(probe.privileges).toBe(isRoot ? 'root' : 'rootless');
  for (const finding of [probe.controlGroups, probe.jail, probe.overlay]) {
    expect(finding.type === 'works' || finding.reason.length > 0).toBe(true);
  }
  const broken = await probeHost({ launcher: join(folder, 'nothing') });
  expect(broken.jail).toEqual({
    type: 'missing',
    reason: 'Cannot start a jail: the launcher does not run',
  });
});
