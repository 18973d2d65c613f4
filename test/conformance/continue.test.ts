import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { KnownHost } from '../../web/elements/model/known-host.ts';
import type { Continued } from '../../web/elements/replay/continue-live.ts';
import { LiveContinuation } from '../../web/elements/replay/live-continuation.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { memoryImage, putFile } from '../fixtures/memory-image.ts';
import { type OpenedForTest, openedRecording } from '../fixtures/opened-recording.ts';
import { recordedSession } from '../fixtures/recorded-session.ts';
import { makeShellFolder, openShellBridge } from '../fixtures/shell-bridge.ts';

const address = { url: 'http://host.example', token: 'cpc_a' };
const known: KnownHost = { name: 'host.example', bridge: address, images: [], problem: undefined };
const amongOthers = { digest: 'a'.repeat(64), name: 'other', architecture: 'i386', isDefault: true } as const;

/** What the player's page does, with one host that is connected. */
function continuation(host: SandboxBackend, images: KnownHost['images'] = []) {
  const made: Continued[] = [];
  const none = async (): Promise<never> => {
    throw new Error('The sandbox is not for this tab');
  };
  const player = new LiveContinuation({
    backend: none,
    prepareImage: () => undefined,
    hosts: () => [{ ...known, images }],
    reachHost: async (url) => ({ url, name: known.name, connect: async () => host, images: async () => [] }),
    show: async (continued) => void made.push(continued),
  });
  const go = async (
    { recording, connection: recorded }: OpenedForTest,
    snapshot: string,
  ): Promise<Continued> => {
    const point = { header: recording.header, snapshot: snapshot as never, hasMemory: false };
    const choice = player.choices(point).find(({ id }) => id === address.url);
    if (choice === undefined) throw new Error('The host is no choice');
    await player.go(choice, { point, recorded, signal: AbortSignal.any([]), onProgress: () => undefined });
    return made.at(-1) as Continued;
  };
  return { player, go };
}

let stack: AsyncDisposableStack;
let bridge: SandboxBackend;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const { folder } = stack.use(await makeShellFolder());
  const running = stack.use(await openShellBridge({ folder, process: 'ours' }));
  const { token } = running.host.tokens.create({ name: 'test', scope: 'all' });
  bridge = stack.use(await connect({ url: running.url, token }));
});
afterAll(() => stack.disposeAsync());

test('P-3 a session goes on on a bridge from the middle, with what led there, is compared, forked, and recorded again', async () => {
  const bytes = await recordedSession([
    { run: 'echo one > file' },
    { run: 'echo two > file' },
    { run: 'rm file' },
  ]);
  const opened = await openedRecording(bytes);
  const [begin, first = '', second = ''] = opened.snapshots;
  const { info, connection } = await continuation(bridge).go(opened, second);
  await connection.close();
  await using live = await Sandbox.open(info.id, { backend: bridge });
  expect((await live.run('cat file; echo three > file')).stdout).toBe('two\n');
  const { snapshots } = await live.connection.history.get();
  expect(snapshots.slice(0, 3).map(({ id }) => id)).toEqual([begin, first, second]);
  expect((await live.diff(first as never, second as never)).map(({ path }) => path)).toEqual([
    '/home/user/file',
  ]);
  for (const fork of await live.fork()) {
    if (fork instanceof Error) throw fork;
    expect((await fork.run('cat file')).stdout).toBe('three\n');
    await fork.close();
  }

  const again = await live.record();
  const reading = readRecording(again).then(async (stream) => {
    const shown: string[] = [];
    for await (const { event } of stream.events()) if (event.type === 'output') shown.push(event.data);
    return shown.join('');
  });
  await live.run('echo recorded again');
  await again.stop();
  expect(await reading).toContain('recorded again\r\n');
});

test('P-3 H-10 a host that lacks the image says so by its name, before it is asked and when it is, and nothing is left', async () => {
  const image = await memoryImage();
  const near = await Sandbox.create({ backend: new LocalBackend(new MemoryImageHost(image)), diskMiB: 64 });
  onTestFinished(() => near.close());
  const opened = await openedRecording(await bytesOf(near.saveSession()));
  const at = opened.snapshots[0] ?? '';
  const there = new MemoryImageHost(await memoryImage());
  const host = new LocalBackend(there);
  const lacking = continuation(host).go(opened, at);
  await expect(lacking).rejects.toMatchObject({
    code: 'asset-unavailable',
    message: expect.stringContaining(`it needs the image "${near.info.image}"`),
  });
  expect([there.stores.size, there.infos.size]).toEqual([0, 0]);

  const point = { header: opened.recording.header, snapshot: at as never, hasMemory: false };
  const choiceWith = (images: KnownHost['images']) =>
    continuation(host, images)
      .player.choices(point)
      .find(({ id }) => id === address.url);
  expect(choiceWith([amongOthers])).toMatchObject({
    label: `on host.example: it lacks the image “${near.info.image}”`,
    isRefused: true,
  });
  // Another build of it may have the same files.
  expect(choiceWith([{ ...amongOthers, name: near.info.image }])?.isRefused).toBe(undefined);

  const having = new LocalBackend(new MemoryImageHost(image));
  const { connection } = await continuation(having).go(opened, at);
  expect(await connection.files.read({ path: '/system' })).toHaveLength(1_000_000);
  await connection.close();
});

test('P-3 RF-17 a file that holds its image is seen whole, and goes on, where no such image is; one that only says so is refused', async () => {
  const image = await memoryImage();
  const here = new MemoryImageHost(image);
  const near = await Sandbox.create({ backend: new LocalBackend(here), diskMiB: 64 });
  onTestFinished(() => near.close());
  const recording = await near.record({ image: true, gzip: true });
  const file = bytesOf(recording);
  const tree = here.trees.get(near.id);
  if (tree) putFile(tree, 'own', new TextEncoder().encode('mine'));
  const { id } = await near.createSnapshot();
  await recording.stop();
  const there = new MemoryImageHost(await memoryImage());
  const host = new LocalBackend(there);
  const text = async (from: SandboxConnection, path: string, at: 'now' | SnapshotId) =>
    Buffer.from(await from.files.read({ path, at })).toString('latin1');
  const system = await text(near.connection, '/system', 'now');
  for (const bytes of [await file, await bytesOf(near.saveSession({ image: true }))]) {
    const opened = await openedRecording(bytes);
    expect(await text(opened.connection, '/system', id)).toBe(system);
    const { info, connection } = await continuation(host, [amongOthers]).go(opened, id);
    expect([await text(connection, '/system', 'now'), await text(connection, '/own', 'now')]).toEqual([
      system,
      'mine',
    ]);
    await connection.close();
    // From its store, without what made it.
    await using again = await Sandbox.open(info.id, { backend: host });
    expect(await text(again.connection, '/system', 'now')).toBe(system);
  }
  const made = there.stores.size;
  const without = new TextDecoder().decode(await bytesOf(near.saveSession()));
  const lying = await openedRecording(
    new TextEncoder().encode(without.replace(/("image":{[^}]*)}/, '$1,"isHeld":true}')),
  );
  await expect(continuation(host).go(lying, id)).rejects.toMatchObject({ code: 'missing-object' });
  expect([there.stores.size, there.infos.size]).toEqual([made, made]);
});

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
