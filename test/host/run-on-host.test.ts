import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { type BridgeConnection, connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

let files: TestFolder;
let bridge: RunningBridge;
let near: BridgeConnection;
let far: BridgeConnection;
let sandbox: Sandbox;

const open = () => {
  const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
  return connect({ url: bridge.url, token });
};
/** The files of the sandbox, and what it shows of its past: what a failure must not change. */
const standing = async () => [
  (await sandbox.run('cd && find . -type f -exec sha256sum {} + | sort')).stdout,
  await sandbox.history.head(),
];
/** The sandboxes that there are beside the one of the test. */
const others = async () => (await near.list()).filter(({ id }) => id !== sandbox.id);

const lack = await whatJailsLack();

describe.skipIf(lack)(`B-8 run with a place${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    bridge = await runTestBridge(files.options);
  });
  afterAll(async () => {
    await bridge?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    [near, far] = [await open(), await open()];
    sandbox = await Sandbox.create({ backend: near, memoryMiB: 128 });
    await sandbox.run('echo one > ~/input');
  });
  afterEach(async () => {
    await sandbox.close();
    await near.delete({ id: sandbox.id });
    expect(await near.list()).toEqual([]);
    await near[Symbol.asyncDispose]();
    await far[Symbol.asyncDispose]();
  });

  test('X-1 B-9 runs on the host with the files of here, and brings back what it changed', async () => {
    await sandbox.useHost(far, { name: 'the rack' });
    const first = await sandbox.run('tr a-z A-Z < input > output; hostname > /dev/null; echo done', {
      on: 'host',
      envs: { GREETING: 'hello' },
    });
    expect(first).toMatchObject({ exitCode: 0, stdout: 'done\n', ranOn: 'host', why: 'as asked' });
    expect(await sandbox.files.read('/home/user/output')).toBe('ONE\n');
    expect(await sandbox.history.head()).toBe(first.broughtBack?.head);
    const [twin] = await others();
    expect(twin?.imageDigest).toBe(sandbox.info.imageDigest);

    await sandbox.files.write('/home/user/input', 'two\n');
    const second = await sandbox.run(['tr', 'a-z', 'A-Z'], { on: 'host', stdin: 'typed\n' });
    expect(second.stdout).toBe('TYPED\n');
    expect(second.broughtBack).toBeUndefined();
    const third = await sandbox.run('cat input >> output; exit 3', { on: 'host' });
    expect(third.exitCode).toBe(3);
    expect(await sandbox.files.read('/home/user/output')).toBe('ONE\ntwo\n');
    expect((await others()).map(({ id }) => id)).toEqual([twin?.id]);

    await sandbox.checkout(third.broughtBack?.previousHead ?? '');
    expect(await sandbox.files.read('/home/user/output')).toBe('ONE\n');
    const { snapshots } = await sandbox.history.get();
    // The host may have captured what a command made before it was asked for.
    const causes = [
      { type: 'manual', label: 'from the rack' },
      { type: 'capture', commands: ['cat input >> output; exit 3'], runs: [expect.any(String)] },
    ];
    expect(causes).toContainEqual(snapshots.find(({ id }) => id === third.broughtBack?.head)?.cause);
  });

  test('B-9 adds one snapshot a run that changes something, none to others, and lets the copy keep one', async () => {
    await sandbox.useHost(far);
    const count = async () => (await sandbox.history.get()).snapshots.length;
    await sandbox.run('echo 0 > counter', { on: 'host' });
    const [twin] = await others();
    const before = await count();
    for (const number of [1, 2, 3]) {
      const { broughtBack } = await sandbox.run(`cat counter >> all; echo ${number} > counter`, {
        on: 'host',
      });
      expect(broughtBack?.changedHere).toBe(false);
      expect((await sandbox.run('cat counter', { on: 'host' })).stdout).toBe(`${number}\n`);
    }
    expect(await sandbox.files.read('/home/user/all')).toBe('0\n1\n2\n');
    expect(await count()).toBe(before + 3);
    await using there = await Sandbox.open(twin?.id ?? '', { backend: near });
    expect((await there.history.get()).snapshots.map(({ id }) => id)).toEqual([await sandbox.history.head()]);
  });

  test('auto runs here and says why, until something is needed that only the host has', async () => {
    expect(await sandbox.run('true', { on: 'auto' })).toMatchObject({
      ranOn: 'here',
      why: 'the sandbox knows no host (useHost)',
    });
    await expect(sandbox.run('true', { on: 'host' })).rejects.toMatchObject({
      code: 'unsupported',
      details: { feature: 'host' },
    });
    await sandbox.useHost(far);
    expect(await sandbox.run('cat input', { on: 'auto' })).toMatchObject({
      ...{ stdout: 'one\n', ranOn: 'here' },
      why: 'this place has all that it needs',
    });
    expect(await sandbox.run('nosuchprogram --at-all', { on: 'auto' })).toMatchObject({
      ...{ exitCode: 127, ranOn: 'here' },
      why: expect.stringContaining('the image of the host has no nosuchprogram'),
    });
    expect(await others()).toEqual([]);
    const large = await sandbox.run('cat /sys/fs/cgroup/memory.max || echo unknown', {
      on: 'auto',
      needs: { memoryMiB: 300 },
    });
    expect(large).toMatchObject({
      ranOn: 'host',
      why: 'it needs more memory than the 128 MiB that this place has',
    });
    expect((await others()).map(({ memoryMiB }) => memoryMiB)).toEqual([300]);
    await sandbox.useHost(undefined);
    expect(await others()).toEqual([]);
  });

  test('H-4 keeps on the host what cannot be brought back, and says where and what', async () => {
    await sandbox.useHost(far, { name: 'the rack' });
    const before = await standing();
    const refusing = vi
      .spyOn(sandbox.connection.transfer, 'openImport')
      .mockRejectedValue(new SandboxError('storage-full', 'The disk is full'));
    const failed = await sandbox
      .run('echo precious > output; echo done', { on: 'host' })
      .catch((error) => error);
    refusing.mockRestore();
    const [kept] = await others();
    expect(failed).toMatchObject({
      code: 'storage-full',
      message: expect.stringContaining(`is in the sandbox ${kept?.id} of the rack`),
      details: { sandbox: kept?.id, result: { stdout: 'done\n', exitCode: 0 } },
    });
    expect((await standing())[0]).toBe(before[0]);
    const there = await Sandbox.open(kept?.id ?? '', { backend: near });
    expect(await there.files.read('/home/user/output')).toBe('precious\n');
    await there.close();
    await near.delete({ id: there.id });
  });

  test('B-9 tells that files were changed here meanwhile, and where they are', async () => {
    await sandbox.useHost(far);
    const { broughtBack } = await sandbox.run('echo up; echo there > output', {
      on: 'host',
      onStdout: () => sandbox.files.write('/home/user/meanwhile', 'here'),
    });
    expect(broughtBack?.changedHere).toBe(true);
    await sandbox.checkout(broughtBack?.previousHead ?? '');
    expect(await sandbox.files.read('/home/user/meanwhile')).toBe('here');
    const again = await sandbox.run('echo more > output', { on: 'host' });
    expect(again.broughtBack?.changedHere).toBe(false);
  });

  test('H-8 leaves the sandbox as it was when it is aborted, or the host goes away meanwhile', async () => {
    const before = await standing();
    await sandbox.useHost(far);
    const abort = new AbortController();
    const aborted = sandbox.run('echo changed > input; echo up; sleep 100', {
      on: 'host',
      signal: abort.signal,
      onStdout: () => abort.abort(),
    });
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    expect((await standing())[0]).toBe(before[0]);
    expect(await others()).toEqual([]);

    const lost = sandbox.run('echo changed > input; echo up; sleep 100', {
      on: 'host',
      onStdout: async () => far[Symbol.asyncDispose](),
    });
    expect(await lost.catch(({ code }) => code)).toBe('connection-lost');
    expect((await standing())[0]).toBe(before[0]);
    expect(await sandbox.run('cat input', { on: 'here' })).toMatchObject({ stdout: 'one\n', ranOn: 'here' });
    for (const { id } of await others()) await near.delete({ id });
  });
});
