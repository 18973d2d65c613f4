import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { migrations } from '../bridge-server/stores/registry-schema.ts';
import { openSandboxRecords } from '../bridge-server/stores/sandbox-records.ts';
import { Sandbox } from '../sdk/sandbox.ts';
import { MemoryImageHost } from '../test/fixtures/memory-host.ts';
import { memoryImage } from '../test/fixtures/memory-image.ts';
import { LocalBackend } from './backend/local-backend.ts';
import type { LoadedImage } from './backend/runtime-driver.ts';
import type { SandboxRecords } from './backend/sandbox-records.ts';
import { chooseSettings, publicInfo, withSettings } from './sandbox-settings.ts';

const settings = { envs: { KEY: 'secret' }, metadata: { team: 'red' } };

/** A place whose entries are those of a host, in a database in memory. */
class HostLikePlace extends MemoryImageHost {
  readonly canExpire = true;
  override readonly records: SandboxRecords;

  constructor(image: LoadedImage) {
    super(image);
    const database = new DatabaseSync(':memory:');
    for (const migration of migrations) database.exec(migration);
    this.records = openSandboxRecords(database);
  }
}

let place: HostLikePlace;
let backend: LocalBackend;
beforeEach(async () => {
  place = new HostLikePlace(await memoryImage());
  backend = new LocalBackend(place);
});

describe('O-8 what a sandbox is told at its making', () => {
  test('is kept with it, told but for its environment, and goes on in its forks', async () => {
    const made = await Sandbox.create({ backend, ...settings, timeoutMs: 60_000 });
    expect(await place.records.get(made.id)).toMatchObject(settings);
    for (const info of [
      made.info,
      await made.connection.info.get(),
      (await backend.list())[0],
      (await made.report()).info,
    ]) {
      expect(info).toMatchObject({ metadata: { team: 'red' }, expiresAtMs: expect.any(Number) });
      expect(JSON.stringify(info)).not.toContain('secret');
    }
    const [fork] = await made.fork();
    if (!(fork instanceof Sandbox)) throw fork;
    expect(fork.info).toMatchObject({ metadata: { team: 'red' }, expiresAtMs: made.info.expiresAtMs });
    expect(JSON.stringify(fork.info)).not.toContain('secret');
    expect((await place.records.get(fork.id)).envs).toEqual({ KEY: 'secret' });
    const from = { sandbox: made.id, snapshot: 'HEAD' };
    const other = await Sandbox.create({ backend, from, metadata: { team: 'blue' } });
    expect(other.info.metadata).toEqual({ team: 'blue' });
    const ignoring = await Sandbox.create({ backend, from, ignore: ['/var/cache'] });
    const { id: parent } = ignoring;
    const heirs = [{}, { ignore: [] }].map((asked) =>
      Sandbox.create({ backend, from: { sandbox: parent, snapshot: 'HEAD' }, ...asked }),
    );
    expect((await Promise.all(heirs)).map(({ info }) => info.ignore)).toEqual([['/var/cache'], undefined]);
    for (const made of [ignoring, ...(await Promise.all(heirs))]) await Sandbox.delete(made.id, { backend });
    const ids = (await Sandbox.list({ backend, metadata: { team: 'red' } })).map(({ id }) => id);
    expect(ids.sort()).toEqual([made.id, fork.id].sort());
  });

  test('comes before what one command is told', () => {
    const said = { envs: { A: 'sandbox', B: 'sandbox' }, cwd: '/srv' };
    expect(withSettings({ command: 'x' }, said)).toEqual({ command: 'x', ...said });
    expect(withSettings({ command: 'x', cwd: '/', envs: { B: 'command' } }, said)).toEqual({
      command: 'x',
      cwd: '/',
      envs: { A: 'sandbox', B: 'command' },
    });
    expect(withSettings({ command: 'x' }, {})).toEqual({ command: 'x' });
  });

  test('is refused by name where it cannot be', () => {
    const refused = (asked: Parameters<typeof chooseSettings>[0], canExpire = true) => {
      try {
        return chooseSettings(asked, { canExpire });
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(refused({ envs: { 'A B': '' } })).toBe('invalid-argument');
    expect(refused({ envs: { A: 'x'.repeat(20_000) } })).toBe('limit-exceeded');
    expect(refused({ cwd: 'home' })).toBe('invalid-argument');
    expect(refused({ cwd: '/a/../b' })).toBe('invalid-argument');
    for (const path of ['home', '/', '/a/../b', '/a/', '/a//b', '/a\0b'])
      expect(refused({ ignore: [path] }), path).toBe('invalid-argument');
    expect(refused({ ignore: Array.from({ length: 33 }, (_, n) => `/${n}`) })).toBe('invalid-argument');
    expect(chooseSettings({ ignore: ['/var/cache/apt'] }, { canExpire: true })).toEqual({
      ignore: ['/var/cache/apt'],
    });
    expect(refused({ metadata: { 'a/b': 'x' } })).toBe('invalid-argument');
    expect(refused({ metadata: { a: 'two\nlines' } })).toBe('invalid-argument');
    expect(refused({ timeoutMs: 1 })).toBe('invalid-argument');
    expect(refused({ timeoutMs: 60_000 }, false)).toBe('unsupported');
  });
});

describe('O-9 a sandbox on a host without control groups', () => {
  test('is said to be held to no memory, and has no other such limit', async () => {
    const { info } = await Sandbox.create({ backend });
    const limited = { ...info, cpuShares: 256, pids: 128 };
    expect(publicInfo(limited)).toMatchObject({ cpuShares: 256, pids: 128 });
    const notHeld = ['memoryMiB', 'cpuShares', 'pids'] as const;
    const told = publicInfo({ ...limited, notHeld });
    expect(told).toMatchObject({ notHeld, memoryMiB: info.memoryMiB });
    expect(['cpuShares', 'pids'].filter((name) => name in told)).toEqual([]);
  });
});

describe('H-8 the end of a sandbox', () => {
  test('comes when it was said to, can be moved and taken away, and is told to whoever has it open', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const made = await Sandbox.create({ backend, timeoutMs: 10_000 });
      const startMs = Date.now();
      expect(made.info.expiresAtMs).toBe(startMs + 10_000);
      vi.setSystemTime(startMs + 9_000);
      const moved = await made.setTimeout(60_000);
      expect(moved.expiresAtMs).toBe(startMs + 69_000);
      expect((await made.connection.info.get()).expiresAtMs).toBe(startMs + 69_000);
      expect(await backend.expired(startMs + 68_999)).toEqual([]);
      expect(await backend.expired(startMs + 69_000)).toEqual([made.id]);
      expect((await made.setTimeout(undefined)).expiresAtMs).toBeUndefined();
      expect(await backend.expired(startMs + 10_000_000)).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
