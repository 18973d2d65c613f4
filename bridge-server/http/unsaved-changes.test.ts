import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { makeShellFolder, openShellBridge } from '../../test/fixtures/shell-bridge.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import { encodeTarHeader } from '../../tree/tar/encode-tar-header.ts';
import type { RunningBridge } from '../main/run-bridge.ts';

let stack: AsyncDisposableStack;
let bridge: RunningBridge;
let token: string;
let id: string;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const { folder } = stack.use(await makeShellFolder());
  stack.defer(() => void vi.restoreAllMocks());
  bridge = stack.use(await openShellBridge({ folder, process: 'ours' }));
  token = bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
  id = (await ask('POST', '/v1/sandboxes', { name: 'work' })).body.id;
});
afterEach(() => stack.disposeAsync().catch(() => undefined));

async function ask(method: string, path: string, body?: object) {
  const isBytes = body instanceof Uint8Array;
  const type = isBytes ? 'application/x-tar' : 'application/json';
  const answer = await fetch(bridge.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const here = (path: string) => `/v1/sandboxes/${id}/${path}`;

async function run(command: string) {
  return (await ask('POST', here('commands'), { command })).body;
}

/** From now on its store takes nothing. */
function fillStore() {
  return vi.spyOn(LogStore.prototype, 'commit').mockImplementation(async () => {
    throw new SandboxError('storage-full', 'Cannot save to the store: the disk is full');
  });
}

test('H-4 a sandbox whose last changes cannot be saved is not stopped, and goes on; with discard it is', async () => {
  await run('true');
  const full = fillStore();
  await run('echo here > ~/file');
  const refused = await ask('POST', here('stop'));
  expect(refused).toMatchObject({
    status: 507,
    body: { error: { code: 'storage-full', details: { unsaved: true } } },
  });
  expect(refused.body.error.message).toContain('`discard`');
  expect((await run('cat ~/file')).stdout).toBe('here\n');
  full.mockRestore();
  expect((await ask('POST', here('stop'))).status).toBe(204);
  expect((await run('cat ~/file')).stdout).toBe('here\n');

  fillStore();
  await run('echo given up > ~/file');
  expect((await ask('POST', here('stop'), { discard: true })).status).toBe(204);
  vi.restoreAllMocks();
  expect((await run('cat ~/file')).stdout).toBe('here\n');
});

test('H-4 a bridge that stops with changes that cannot be saved ends with an error that says which', async () => {
  await run('true');
  fillStore();
  await run('echo lost > ~/file');
  await expect(bridge[Symbol.asyncDispose]()).rejects.toMatchObject({
    code: 'storage-full',
    message: expect.stringContaining('are lost: Cannot save to the store: the disk is full'),
  });
});

test('H-4 a path is as long as Linux opens at most, and whatever is made is saved', async () => {
  const longest = `d=$(printf 'd%.0s' {1..250}); cd ~; for i in {1..20}; do mkdir $d && cd $d || exit; done`;
  const made = await run(longest);
  expect(made.stderr).toContain('File name too long');
  expect(made.unsaved).toBeUndefined();
  expect((await ask('POST', here('snapshots'), { label: 'deep' })).status).toBe(201);
  expect((await ask('POST', here('stop'))).status).toBe(204);
  expect((await run('find ~ | wc -l')).stdout.trim()).toBe('17');
});

test('H-4 H-9 an archive with a path that is longer than Linux opens is refused by name', async () => {
  const header = encodeTarHeader({
    ...{ type: 'file', path: `${`${'d'.repeat(200)}/`.repeat(25)}file`, linkPath: '', permissions: 0o644 },
    ...{
      sizeBytes: 0,
      uid: 0,
      gid: 0,
      major: 0,
      minor: 0,
      mtimeSeconds: 0,
      mtimeNanoseconds: 0,
      xattrs: new Map(),
    },
  });
  const archive = new Uint8Array(header.length + 1_024);
  archive.set(header);
  const before = (await ask('GET', here('snapshots'))).body.items.length;
  const refused = await ask('PUT', here('restore'), archive);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid-argument']);
  expect(refused.body.error.message).toContain('longer than Linux opens');
  expect((await ask('GET', here('snapshots'))).body.items).toHaveLength(before);
});
