import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { type BridgeConnection, connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeShellFolder, openShellBridge } from '../fixtures/shell-bridge.ts';
import { skipByName } from './sandbox/named-skips.ts';
import { sandboxSuite } from './sandbox/sandbox-suite.ts';
import { shellLacks, shellSkips } from './sandbox/shell-skips.ts';

let files: Awaited<ReturnType<typeof makeShellFolder>>;
let bridge: RunningBridge;
let backend: BridgeConnection;

async function start(): Promise<void> {
  bridge = await openShellBridge({ ...files, git: [] });
  backend = await connect({ url: bridge.url, token: newToken() });
}

function newToken(): string {
  return bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
}

async function stop(): Promise<void> {
  await backend?.[Symbol.asyncDispose]();
  await bridge?.[Symbol.asyncDispose]();
}

/** A new shell, closed with its test. */
async function create(): Promise<Sandbox> {
  const sandbox = await Sandbox.create({ backend, runtime: 'shell' });
  onTestFinished(() => sandbox.close().catch(() => undefined));
  return sandbox;
}

/** What the first terminal of a recording shows. */
async function shownIn(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let shown = '';
  for await (const { event } of (await readRecording(pieces)).events())
    if (event.type === 'output' && event.terminal === 1) shown += event.data;
  return shown;
}

/** The processes that run shells of a bridge. */
async function shellProcesses(folder = files.folder): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const line = await readFile(join('/proc', name, 'cmdline'), 'utf8').catch(() => '');
    if (line.includes('serve-shell') && line.includes(folder)) found.push(Number(name));
  }
  return found;
}

/** Resolves to the first event of that type. */
async function nextEvent<Type extends SandboxEvent['type']>(
  sandbox: Sandbox,
  type: Type,
): Promise<SandboxEvent & { type: Type }> {
  const found = Promise.withResolvers<SandboxEvent & { type: Type }>();
  await sandbox.connection.events.subscribe({ after: 0 }, (event) => {
    if (event.type === type) found.resolve(event as SandboxEvent & { type: Type });
  });
  return found.promise;
}

beforeAll(async () => {
  files = await makeShellFolder();
  await start();
});
afterAll(async () => {
  await stop();
  await files[Symbol.asyncDispose]();
});

// Whole, some 15 s: of all runtimes it is the only one whose suite runs over a bridge's wire without root.
describe('a shell on a bridge', () => {
  skipByName(shellSkips);
  sandboxSuite(() => Sandbox.create({ backend, runtime: 'shell' }), undefined, { lacks: shellLacks });
});

test('B-5 H-4 a shell on a bridge is made without an image, and there again when the bridge is', async () => {
  const sandbox = await create();
  expect(sandbox.info).toMatchObject({ runtime: 'shell', image: '', network: 'isolated' });
  await sandbox.run('echo kept > ~/note; echo shown before');
  const { id: head } = await sandbox.createSnapshot();
  await sandbox.close();
  await stop();
  expect(await shellProcesses()).toEqual([]);
  await start();
  await using again = await Sandbox.open(sandbox.id, { backend });
  expect(await again.history.head()).toBe(head);
  expect((await again.run('cat ~/note')).stdout).toBe('kept\n');
  expect(await shownIn(again.saveSession())).toMatch(/shown before\r\n.*cat ~\/note\r\nkept\r\n$/s);

  // Who may only read files may not read what others' commands printed.
  const { token } = bridge.host.tokens.create({ name: 'reader', scope: 'all', access: 'read' });
  await using reader = await connect({ url: bridge.url, token });
  await using looking = await Sandbox.connect(sandbox.id, { backend: reader });
  await expect(shownIn(looking.saveSession())).rejects.toMatchObject({ code: 'forbidden' });
  expect(await shownIn(looking.saveSession({ terminals: false }))).not.toContain('kept\r\n');
});

test('S-9 over REST a shell is made, runs a command, is listed and is deleted with its store', async () => {
  const authorization = `Bearer ${newToken()}`;
  const ask = (path: string, method: string, json?: object) =>
    fetch(bridge.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(json ? { body: JSON.stringify(json) } : {}),
    });
  const made = await ask('/v1/sandboxes', 'POST', { runtime: 'shell', name: 'quick', metadata: { a: 'b' } });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  const ran = await ask(`/v1/sandboxes/${id}/commands`, 'POST', { command: 'echo $((6 * 7))' });
  expect(await ran.json()).toMatchObject({ stdout: '42\n', exitCode: 0 });
  const listed = await ask('/v1/sandboxes?metadata.a=b', 'GET');
  expect(await listed.json()).toMatchObject({ items: [{ id, runtime: 'shell', name: 'quick' }] });
  expect((await ask(`/v1/sandboxes/${id}`, 'DELETE')).status).toBe(204);
  expect(await readdir(join(files.folder, 'sandboxes'))).not.toContain(id);
  expect((await ask(`/v1/sandboxes/${id}`, 'GET')).status).toBe(404);
});

test('H-8 a shell whose process dies says so, ends its commands, and goes on from its last snapshot; others go on', async () => {
  const [sandbox, other] = [await create(), await create()];
  await sandbox.run('echo kept > ~/note');
  await sandbox.createSnapshot();
  const [failed, closed] = [nextEvent(sandbox, 'machine-failed'), nextEvent(sandbox, 'closed')];
  const waits = await sandbox.commands.run('echo lost > ~/lost; sleep 600', { background: true });
  process.kill(await processOf(sandbox.id), 'SIGKILL');
  expect((await failed).error).toMatchObject({ code: 'machine-failed' });
  await closed;
  expect(await waits.wait()).toMatchObject({ reason: 'machine-failed' });
  await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'connection-lost' });
  await using again = await Sandbox.open(sandbox.id, { backend });
  expect((await again.run('cat ~/note')).stdout).toBe('kept\n');
  expect((await other.run('echo here')).stdout).toBe('here\n');
});

/** The process that has the lock of a sandbox's store open. */
async function processOf(id: string): Promise<number> {
  for (const pid of await shellProcesses()) {
    for (const fd of await readdir(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (target.includes(`/${id}/`)) return pid;
    }
  }
  throw new Error(`No process has sandbox ${id} open`);
}

test('H-8 P-1 a script that never ends does not outlive a bridge that is killed, its files are there for the next, and a recording is whole up to there', {
  timeout: 300_000,
}, async () => {
  await using other = await makeShellFolder();
  const script = fileURLToPath(new URL('../fixtures/shell-bridge-process.ts', import.meta.url));
  const killed = spawn(process.execPath, [script, other.folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(killed.stdout, 'data');
  const { id, ...where } = JSON.parse(line) as { id: string; url: string; token: string };
  await using reached = await connect(where);
  const recorded = await Sandbox.create({ backend: reached, runtime: 'shell' });
  const pieces: Uint8Array[] = [];
  const reading = (async () => {
    for await (const piece of await recorded.record()) pieces.push(piece);
  })();
  reading.catch(() => undefined);
  const text = () => Buffer.concat(pieces).toString();
  await expect.poll(text).toContain('"snapshot');
  await recorded.run('echo seen-$((6*7))');
  await expect.poll(text).toContain('command-end');
  expect(await shellProcesses(other.folder)).not.toEqual([]);
  killed.kill('SIGKILL');
  await expect.poll(() => shellProcesses(other.folder)).toEqual([]);
  // Its client would wait for it to come back.
  await reached[Symbol.asyncDispose]();
  await expect(reading).rejects.toThrow();
  const cut = await readRecording(new Blob(pieces as Uint8Array<ArrayBuffer>[]).stream());
  const shown: string[] = [];
  for await (const { event } of cut.events()) if (event.type === 'output') shown.push(event.data);
  expect(shown.join('')).toContain('seen-42\r\n');
  expect(cut.damage).toMatch(/^It was cut after line/);
  await using next = await openShellBridge(other);
  const { token } = next.host.tokens.create({ name: 'test', scope: 'all' });
  await using there = await connect({ url: next.url, token });
  await using sandbox = await Sandbox.open(id, { backend: there });
  expect((await sandbox.run('cat ~/note')).stdout).toBe('kept\n');
});

test('O-9 a shell that takes more memory than it has ends with that reason, and nothing else does', async () => {
  const sandbox = await Sandbox.create({ backend, runtime: 'shell', memoryMiB: 64, diskMiB: 4_096 });
  onTestFinished(() => sandbox.close().catch(() => undefined));
  const failed = nextEvent(sandbox, 'machine-failed');
  const fills = await sandbox.run('head -c 2000000000 /dev/urandom > ~/file');
  expect(fills.reason).toBe('machine-failed');
  expect((await failed).error.message).toMatch(/out of memory, of which it has 64 MiB/);
  expect((await (await create()).run('echo here')).stdout).toBe('here\n');
});

test('B-8 a shell goes from this process to a bridge, and back', async () => {
  const here = shellBackend();
  await using sandbox = await Sandbox.create({ backend: here });
  await sandbox.run('echo one > ~/note');
  const there = await sandbox.copyTo(backend);
  onTestFinished(() => there.close());
  expect((await there.run('cat ~/note; echo two >> ~/note')).stdout).toBe('one\n');
  await using back = await there.copyTo(here);
  expect((await back.run('cat ~/note')).stdout).toBe('one\ntwo\n');
});

test('S-6 git of a shell on a bridge reaches no address of the bridge’s own network', async () => {
  const sandbox = await create();
  for (const url of [
    'http://127.0.0.1:9/x',
    'http://localhost:9/x',
    'http://[::1]:9/x',
    'http://0x7f.1:9/x',
  ]) {
    const refused = sandbox.git.clone({ url, directory: '/home/user/x' });
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  }
  expect(await sandbox.files.exists('/home/user/x')).toBe(false);
});
