import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cloneHostStore } from '../../bridge-server/stores/clone-host-store.ts';
import { deleteHostStore, openHostStore } from '../../bridge-server/stores/open-host-store.ts';
import type { PastOptions } from '../../protocol/sandbox/recording.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { shellDriver } from '../../runtimes/shell/shell-driver.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../sandbox/backend/memory-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { outputRefs } from '../../tree/history/history-refs.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-saved-session-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Shells in this process whose stores are in a folder: a host that may be opened again, as after a restart. */
class FolderHost extends MemoryHost {
  readonly folder = mkdtempSync(join(root, 'host-'));

  constructor() {
    super(shellDriver({ quota: async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false }) }));
    this.openStore = (id, options) => openHostStore(this.folder, id, options) as never;
    this.cloneStore = (id, options) => cloneHostStore(this.folder, id, options as never);
    this.deleteStore = (id) => deleteHostStore(this.folder, id);
  }
}

async function saved(sandbox: Sandbox, options: PastOptions = {}): Promise<RecordingEvent[]> {
  const stream = await readRecording(sandbox.saveSession(options));
  const events: RecordingEvent[] = [];
  for await (const { event } of stream.events()) events.push(event);
  return events;
}

const shown = (events: readonly RecordingEvent[]) =>
  events.map((event) => (event.type === 'output' && event.terminal === 1 ? event.data : '')).join('');
const commands = (events: readonly RecordingEvent[]) =>
  events.flatMap((event) => (event.type === 'command' ? [event.text] : []));

test('P-1 a session that is saved after its sandbox was opened again has the output of before, between the snapshots that it led to', async () => {
  const host = new FolderHost();
  const backend = new LocalBackend(host);
  const sandbox = await Sandbox.create({ backend });
  await sandbox.run('echo first; echo 1 > ~/note');
  const { id: middle } = await sandbox.createSnapshot({ label: 'middle' });
  await sandbox.run('echo nothing changes');
  await sandbox.close();
  await using again = await Sandbox.open(sandbox.id, { backend: new LocalBackend(host) });
  await again.run('echo second; echo 2 > ~/note');
  const { id: end } = await again.createSnapshot({ label: 'end' });
  await again.run('echo third; echo 3 > ~/note');
  await again.run('echo after the last snapshot');

  const all = await saved(again);
  const texts = ['echo first; echo 1 > ~/note', 'echo nothing changes', 'echo second; echo 2 > ~/note'];
  expect(commands(all)).toEqual([...texts, 'echo third; echo 3 > ~/note', 'echo after the last snapshot']);
  expect(shown(all).split('\x1bc')).toEqual([
    expect.stringMatching(/first\r\n.*nothing changes\r\n$/s),
    expect.stringMatching(/second\r\n.*third\r\n.*after the last snapshot\r\n$/s),
  ]);
  const order = all.flatMap((event) =>
    event.type === 'command-end' || (event.type === 'snapshot' && /middle|end/.test(event.label))
      ? [event.type]
      : [],
  );
  const [ran, snapshot] = ['command-end', 'snapshot'];
  expect(order).toEqual([ran, snapshot, ran, ran, snapshot, ran, ran]);
  const part = await saved(again, { from: middle, to: end });
  expect(commands(part)).toEqual(texts.slice(1));
  expect(shown(part)).toMatch(/first\r\n.*nothing changes\r\n.*second\r\n$/s);
  const without = await saved(again, { terminals: false });
  expect(commands(without)).toEqual([texts[0], texts[2], 'echo third; echo 3 > ~/note']);
  expect(shown(without)).not.toContain('first\r\nfirst');
});

test('P-1 H-4 a process that dies at any byte of a batch leaves all of those before', async () => {
  const host = new FolderHost();
  const sandbox = await Sandbox.create({ backend: new LocalBackend(host) });
  await sandbox.run('echo first; echo 1 > ~/note');
  await saved(sandbox);
  const log = join(host.folder, sandbox.id, 'log-1');
  const before = statSync(log).size;
  await sandbox.run('echo second');
  await saved(sandbox);
  const after = statSync(log).size;
  expect(after).toBeGreaterThan(before);
  for (const cut of [0, 1, Math.floor((after - before) / 2), after - before - 1, after - before]) {
    const copy = new FolderHost();
    cpSync(join(host.folder, sandbox.id), join(copy.folder, sandbox.id), { recursive: true });
    truncateSync(join(copy.folder, sandbox.id, 'log-1'), before + cut);
    await copy.records.add(await host.records.get(sandbox.id));
    await using again = await Sandbox.open(sandbox.id, { backend: new LocalBackend(copy) });
    await again.run('echo third');
    const second = cut === after - before ? ['echo second'] : [];
    expect(commands(await saved(again))).toEqual(['echo first; echo 1 > ~/note', ...second, 'echo third']);
  }
  await sandbox.close();
});

test('P-1 a fork, a copy on another backend and a sandbox that was deleted have nothing of what was shown', async () => {
  const host = new FolderHost();
  const backend = new LocalBackend(host);
  const sandbox = await Sandbox.create({ backend });
  await sandbox.run('echo shown in the parent; echo 1 > ~/note');
  expect(shown(await saved(sandbox))).toContain('shown in the parent\r\n');
  const [fork] = await sandbox.fork();
  if (!(fork instanceof Sandbox)) throw fork ?? new Error('There is no fork');
  const elsewhere = new MemoryHost(...shellHostDrivers());
  const copy = await sandbox.copyTo(new LocalBackend(elsewhere));
  for (const other of [fork, copy]) {
    const events = await saved(other);
    expect(shown(events)).not.toContain('shown in the parent\r\n');
    await other.close();
  }
  const [store] = elsewhere.stores.values();
  expect(store && outputRefs(store)).toEqual([]);
  await using forked = await openHostStore(host.folder, fork.id, { readOnly: true });
  expect(outputRefs(forked)).toEqual([]);

  await sandbox.run('echo not stored yet');
  await sandbox.close();
  await backend.delete({ id: sandbox.id });
  expect(readdirSync(host.folder)).toEqual([fork.id]);
});

function shellHostDrivers() {
  return [shellDriver({ quota: async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false }) })] as const;
}
