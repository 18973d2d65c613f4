import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeShellFolder, openShellBridge } from '../../test/fixtures/shell-bridge.ts';

test('H-4 a bridge on a copy of the folder of a stopped one has its sandboxes, histories and tokens', async () => {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await makeShellFolder());
  const copy = await mkdtemp(join(tmpdir(), 'coppice-copy-'));
  stack.defer(() => rm(copy, { recursive: true }));
  const bridge = await openShellBridge({ folder, process: 'ours' });
  const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
  const ask = async (url: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    return (await fetch(url + path, { headers, ...init })).json();
  };
  const { id } = await ask(bridge.url, '/v1/sandboxes', { name: 'work' });
  const home = `/v1/sandboxes/${id}`;
  await ask(bridge.url, `${home}/commands`, { command: 'echo kept > ~/note' });
  await ask(bridge.url, `${home}/snapshots`, { label: 'good' });
  const before = await ask(bridge.url, `${home}/snapshots`);
  await bridge[Symbol.asyncDispose]();

  await cp(folder, copy, { recursive: true });
  expect(await readdir(copy)).toEqual(expect.arrayContaining(['coppice.sqlite', 'sandboxes']));
  await using restored = await openShellBridge({ folder: copy, process: 'ours' });
  expect(await ask(restored.url, `${home}/snapshots`)).toEqual(before);
  const { stdout } = await ask(restored.url, `${home}/commands`, { command: 'cat ~/note' });
  expect(stdout).toBe('kept\n');
  expect(await ask(restored.url, home)).toMatchObject({ name: 'work' });
});
