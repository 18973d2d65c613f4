import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { addLoopbackAddress, whatLoopbackLacks } from './network/loopback-address.ts';
import { whatNetworkLacks } from './network/what-network-lacks.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';

const execute = promisify(execFile);
const lack = (await whatNetworkLacks()) ?? (await whatLoopbackLacks());

describe.skipIf(lack)(`I-3 a workspace from the network${lack ? ` (not here: ${lack})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let files: TestFolder;
  let address: string;
  let git: string;

  beforeAll(async () => {
    files = stack.use(await makeTestFolder('overlay'));
    ({ address } = stack.use(await addLoopbackAddress()));
    const origin = await mkdtemp(join(tmpdir(), 'coppice-origin-'));
    stack.defer(() => rm(origin, { recursive: true }));
    await writeFile(join(origin, 'file'), 'from afar\n');
    const someone = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org'];
    for (const command of [['init', '-q'], ['add', '.'], ['commit', '-qm', 'one'], ['update-server-info']]) {
      await execute('git', ['-C', origin, ...someone, ...command]);
    }
    const server = createServer(async ({ url = '/' }, answer) => {
      const { pathname } = new URL(url, 'http://here');
      const bytes = await readFile(join(origin, '.git', pathname)).catch(() => undefined);
      answer.writeHead(bytes ? 200 : 404).end(bytes);
    }).listen(0, address);
    await once(server, 'listening');
    stack.defer(() => void server.close());
    git = `http://${address}:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => stack.disposeAsync());

  test('is cloned through the network of its sandbox, and from nowhere that this may not reach', async () => {
    const create = { network: 'full', workspace: { git: `${git}/` } } as const;
    {
      await using host = await openHost({ ...files.options, network: { allow: [address] } });
      await using sandbox = await Sandbox.create({ backend: host.backend, ...create });
      expect(await sandbox.files.read('/workspace/file')).toBe('from afar\n');
      expect((await sandbox.network.log()).flows[0]).toMatchObject({ address, verdict: 'allowed' });
    }
    await using host = await openHost({ ...files.options, network: {} });
    const { length } = await host.backend.list();
    const denied = Sandbox.create({ backend: host.backend, ...create });
    await expect(denied).rejects.toMatchObject({ code: 'asset-unavailable' });
    expect(await host.backend.list()).toHaveLength(length);
  });
});
