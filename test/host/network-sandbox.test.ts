import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { until } from '../../guest/init/test/agent.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { processesWith } from './jail/leftovers.ts';
import { addLoopbackAddress, whatLoopbackLacks } from './network/loopback-address.ts';
import { whatNetworkLacks } from './network/what-network-lacks.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { startServing } from './serving.ts';

const lack = (await whatNetworkLacks()) ?? (await whatLoopbackLacks());

describe.skipIf(lack)(`S-8 O-9 a sandbox with a network${lack ? ` (not here: ${lack})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let files: TestFolder;
  let address: string;
  let port: number;
  /** Those of the server outside, which says hello and waits. */
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    files = stack.use(await makeTestFolder('overlay', { layer: 'borrowed' }));
    launcher = join(files.options.folder, 'launcher');
    await copyFile(files.options.launcher, launcher);
    ({ address } = stack.use(await addLoopbackAddress()));
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
      socket.resume().write('hello\n');
    }).listen(0, address);
    await once(server, 'listening');
    stack.defer(() => void server.close());
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => stack.disposeAsync());

  /** A launcher that no other bridge of this machine has: its processes are told by its path. */
  let launcher: string;

  const open = () => openHost({ ...files.options, launcher, network: { allow: [address] } });
  const greet = (sandbox: Sandbox) =>
    sandbox.run(['bash', '-c', `exec 3<>/dev/tcp/${address}/${port}; head -n 1 <&3`]);
  const hold = () => `exec 3<>/dev/tcp/${address}/${port}; head -n 1 <&3; exec sleep 1000`;
  const isLeft = async () => (await processesWith(launcher)).length > 0;

  async function forkOf(sandbox: Sandbox): Promise<Sandbox> {
    const [fork] = await sandbox.fork();
    if (fork instanceof Sandbox) return fork;
    throw fork ?? new Error('Nothing was forked');
  }

  test('has it in its forks and after a checkout, which ends its connections; nothing of it is left', async () => {
    {
      await using host: Host = await open();
      const { backend } = host;
      const sandbox = await Sandbox.create({ backend, network: 'full' });
      expect(sandbox.info.network).toBe('full');
      expect((await greet(sandbox)).stdout).toBe('hello\n');
      await until(async () => (await sandbox.network.log()).flows[0]?.durationMs !== undefined);
      const told = { id: 1, type: 'connection', address, port, verdict: 'allowed', receivedBytes: 6 };
      expect((await sandbox.network.log()).flows).toMatchObject([told]);
      const fork = await forkOf(sandbox);
      expect(await fork.network.log()).toEqual({ flows: [], forgotten: 0 });
      expect(fork.info.network).toBe('full');
      expect((await greet(fork)).stdout).toBe('hello\n');
      await until(async () => sockets.size === 0);
      const begun = Promise.withResolvers<void>();
      await sandbox.commands.run(['bash', '-c', hold()], {
        background: true,
        onStdout: () => begun.resolve(),
      });
      await begun.promise;
      expect(sockets.size).toBe(1);
      await sandbox.checkout(await sandbox.history.head());
      await until(async () => sockets.size === 0);
      expect((await greet(sandbox)).stdout).toBe('hello\n');
      const isolated = await Sandbox.create({ backend });
      expect(isolated.info.network).toBe('isolated');
      expect((await greet(isolated)).stderr).toContain('Network is unreachable');
      for (const one of [sandbox, fork, isolated]) await one.close();
      await Sandbox.delete(sandbox.id, { backend });
    }
    expect(await isLeft()).toBe(false);
    await until(async () => sockets.size === 0);
  });

  test('H-10 is refused by name where the operator has switched it off, also one that there is', async () => {
    let id: string;
    {
      await using host = await open();
      const sandbox = await Sandbox.create({ backend: host.backend, network: 'full' });
      id = sandbox.id;
      await sandbox.close();
    }
    await using host = await openHost({ ...files.options, launcher, network: 'off' });
    const { backend } = host;
    const refusal = { code: 'unsupported', message: /--network off/, details: { feature: 'network' } };
    const refused = { ...refusal, message: expect.stringMatching(refusal.message) };
    await expect(Sandbox.create({ backend, network: 'full' })).rejects.toMatchObject(refused);
    await expect(Sandbox.open(id, { backend })).rejects.toMatchObject(refused);
    const sandbox = await Sandbox.create({ backend });
    expect((await sandbox.run('echo alive')).stdout).toBe('alive\n');
    await sandbox.close();
  });

  test('O-1 has it again, with its list, when its bridge was killed and another goes on with it', async () => {
    const options = { ...files.options, launcher, reattachMs: 600_000, network: { allow: [address] } };
    let id: string;
    {
      await using bridge = await startServing(options);
      await using backend = await connect(bridge);
      const sandbox = await Sandbox.create({ backend, network: 'full', allow: [`${address}:${port}`] });
      id = sandbox.id;
      await sandbox.run('(exec sleep 1000) < /dev/null > /dev/null 2>&1 &');
      expect((await greet(sandbox)).stdout).toBe('hello\n');
      const begun = Promise.withResolvers<void>();
      await sandbox.commands.run(['bash', '-c', hold()], {
        background: true,
        onStdout: () => begun.resolve(),
      });
      await begun.promise;
      await sandbox.createSnapshot();
      await bridge.kill();
    }
    await until(async () => sockets.size === 0);
    {
      await using bridge = await startServing(options);
      expect([bridge.lost, bridge.running]).toEqual([[], [id]]);
      await using backend = await connect(bridge);
      const sandbox = await Sandbox.open(id, { backend });
      expect((await sandbox.run('pgrep -c sleep')).stdout).toBe('1\n');
      expect((await greet(sandbox)).stdout).toBe('hello\n');
      await sandbox.run(['bash', '-c', `read -r line < /dev/tcp/${address}/${port + 1}`]);
      const { why } = (await sandbox.network.log()).flows.at(-1) ?? {};
      expect(why).toBe('it is not on the list of this sandbox');
      await bridge.kill();
    }
    await using bridge = await startServing({ ...options, network: 'off' });
    expect(bridge.lost).toEqual([expect.stringContaining('has a network, which is not allowed any more')]);
    await bridge.end('SIGTERM');
    expect(await isLeft()).toBe(false);
  });
});
