import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RootMount } from '../../../bridge-server/contract.ts';
import { findControlGroups } from '../../../bridge-server/runtimes/jail/control-groups/find-control-groups.ts';
import {
  groupPrefix,
  probeGroupName,
} from '../../../bridge-server/runtimes/jail/control-groups/group-names.ts';
import { OwnIdRoots } from '../../../bridge-server/runtimes/jail/own-id-roots.ts';
import { probeHost } from '../../../bridge-server/runtimes/jail/probe-host.ts';
import { removeOrphanedJails } from '../../../bridge-server/runtimes/jail/remove-orphaned-jails.ts';
import { until } from '../../../guest/init/test/agent.ts';
import { whatOwnIdLacks } from '../what-jails-lack.ts';
import { controlGroupsNamed, processesOf, stageMounts } from './leftovers.ts';
import { launcher } from './test-jail.ts';

const lack = await whatOwnIdLacks();
const isRoot = process.geteuid?.() === 0;
const script = fileURLToPath(new URL('./run-frozen.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-left-'));
  await mkdir(join(folder, 'root'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Jail {
  readonly state: string;
  readonly root?: RootMount;
}

/** A bridge in a process of its own, with a jail. */
async function startBridge(name: string, { state, root }: Jail): Promise<ChildProcess> {
  const usual: RootMount = { type: 'bind', path: join(folder, 'root') };
  const args = [script, await launcher, JSON.stringify(root ?? usual), name, state];
  const bridge = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(bridge.stdout, 'data');
  return bridge;
}

describe.skipIf(!isRoot)('after a bridge was killed (needs root)', () => {
  test.each(['frozen', 'running'])('nothing is left of a %s jail', async (state) => {
    const name = `coppice-left-${process.pid}-${state}`;
    const mounts = await stageMounts();
    const bridge = await startBridge(name, { state });
    expect(await controlGroupsNamed(name)).not.toEqual([]);
    bridge.kill('SIGKILL');
    await until(async () => (await controlGroupsNamed(name)).length === 0);
    expect(await stageMounts()).toEqual(mounts);
  });

  test.skipIf(lack).each(['frozen', 'running'])(
    `S-5 nothing is left of a %s jail without namespaces${lack ? ` (not here: ${lack})` : ''}`,
    async (state) => {
      const name = `coppice-left-${process.pid}-own-${state}`;
      const path = join(folder, 'root');
      const { id, release } = await new OwnIdRoots(await launcher).furnish(path);
      const bridge = await startBridge(name, { state, root: { type: 'bind', path, ownId: id } });
      expect(await processesOf(id)).toHaveLength(1);
      bridge.kill('SIGKILL');
      await until(async () => (await controlGroupsNamed(name)).length === 0);
      expect(await processesOf(id)).toEqual([]);
      await release();
    },
  );

  test.each(['frozen', 'running'])(
    'with its launcher, what is left of a %s jail is removed',
    async (state) => {
      const prefix = `coppice-left-${process.pid}-`;
      const bridge = await startBridge(`${prefix}${state}`, { state });
      // So that it cannot clear up after the launcher.
      bridge.kill('SIGSTOP');
      const children = await readFile(`/proc/${bridge.pid}/task/${bridge.pid}/children`, 'utf8');
      for (const pid of children.split(' ').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
      bridge.kill('SIGKILL');
      await once(bridge, 'exit');
      expect(await controlGroupsNamed(`${prefix}${state}`)).not.toEqual([]);
      expect(await removeOrphanedJails(prefix)).toBe(1);
      expect(await controlGroupsNamed(`${prefix}${state}`)).toEqual([]);
      expect(await removeOrphanedJails(prefix)).toBe(0);
    },
  );
});

const groups = await findControlGroups();
const why = groups.type === 'none' ? groups.reason : undefined;

test.skipIf(why)(
  `what a bridge tried out when it was killed is removed by the next one on its folder, and by no other${why ? ` (not here: ${why})` : ''}`,
  async () => {
    if (groups.type === 'none') throw new Error(why);
    const other = await mkdtemp(join(tmpdir(), 'coppice-left-'));
    const [own, others] = [await probeGroupName(folder), await probeGroupName(other)];
    const limits = { memoryMiB: 64, pids: 64, cpuShares: 256 };
    await groups.maker.make(own, limits);
    await using _inUse = await groups.maker.make(others, limits);
    expect(await removeOrphanedJails(await groupPrefix(folder))).toBe(1);
    expect(await controlGroupsNamed(own)).toEqual([]);
    expect(await controlGroupsNamed(others)).not.toEqual([]);
    await rm(other, { recursive: true });
  },
);

test('a host tells what works on it, and why the rest does not', async () => {
  const probe = await probeHost({ launcher: await launcher });
  expect(probe.privileges).toBe(isRoot ? 'root' : 'one-id');
  for (const finding of [probe.controlGroups, probe.jail, probe.landlock, probe.overlay]) {
    expect(finding.type === 'works' || finding.reason.length > 0).toBe(true);
  }
  const broken = await probeHost({ launcher: join(folder, 'nothing') });
  expect(broken.jail).toEqual({
    type: 'missing',
    reason: expect.stringMatching(/^Cannot start a jail: the launcher does not run: .*ENOENT/),
  });
});
