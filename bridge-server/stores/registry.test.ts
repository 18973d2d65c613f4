import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { SandboxRecord } from '../../sandbox/sandbox-settings.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { openRegistry } from './registry.ts';
import { migrations } from './registry-schema.ts';
import { isTokenText } from './token-text.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-registry-'));
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => void vi.useRealTimers());

const newFolder = () => mkdtempSync(join(root, 'host-'));
const info = (id: string, changes: Partial<SandboxInfo> = {}): SandboxInfo => ({
  id,
  name: `the "${id}"; DROP TABLE sandboxes`,
  image: 'debian',
  imageDigest: 'd'.repeat(64),
  architecture: 'i386',
  memoryMiB: 256,
  diskMiB: 1_024,
  cpuShares: 512,
  pids: 99,
  network: 'isolated',
  runtime: 'jail',
  createdAtMs: 1_700_000_000_000,
  ...changes,
});

describe('sandboxes', () => {
  test('get another name, which is there after reopening; one that is not there gets none', async () => {
    const folder = newFolder();
    {
      using registry = openRegistry(folder);
      await registry.sandboxes.add(info('a'));
      expect(await registry.sandboxes.rename?.('a', 'renamed')).toEqual(info('a', { name: 'renamed' }));
      await expect(registry.sandboxes.rename?.('b', 'renamed')).rejects.toMatchObject({ code: 'not-found' });
    }
    using registry = openRegistry(folder);
    expect(await registry.sandboxes.list()).toEqual([info('a', { name: 'renamed' })]);
  });

  test('H-4 are there as they were added after reopening, oldest first', async () => {
    const folder = newFolder();
    const [a, b] = [
      info('a', { createdAtMs: 2, cpus: 0.5, ioMiBps: 20 }),
      info('b', { createdAtMs: 1, nested: true, architecture: 'amd64' }),
    ];
    {
      using registry = openRegistry(folder);
      await registry.sandboxes.add(a);
      await registry.sandboxes.add(b);
      await registry.sandboxes.add(info('c'));
      await registry.sandboxes.remove('c');
      await registry.sandboxes.remove('never');
    }
    using registry = openRegistry(folder);
    expect(await registry.sandboxes.list()).toEqual([b, a]);
    expect(await registry.sandboxes.get('a')).toEqual(a);
    await expect(registry.sandboxes.get('c')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('H-4 every option of one is there after reopening', async () => {
    const folder = newFolder();
    // A new option does not compile until it is here, or among what is seen of a sandbox that is open.
    type Seen = 'notHeld' | 'isolation' | 'diskHeldBy' | 'unsaved';
    const whole: Required<Omit<SandboxRecord, Seen>> = {
      ...{ id: 'a', name: 'whole', image: 'debian', imageDigest: 'd'.repeat(64), architecture: 'amd64' },
      ...{ memoryMiB: 512, diskMiB: 2_048, cpuShares: 128, pids: 50, cpus: 1.5, ioMiBps: 7 },
      ...{ network: 'full', runtime: 'jail', createdAtMs: 3, nested: true, expiresAtMs: 9 },
      ...{
        cwd: '/srv',
        ignore: ['/home/user/.cache'],
        metadata: { purpose: 'test' },
        envs: { TOKEN: 'secret' },
        allow: ['pypi.org:443'],
      },
    };
    {
      using registry = openRegistry(folder);
      await registry.sandboxes.add(whole);
    }
    using registry = openRegistry(folder);
    expect(await registry.sandboxes.get('a')).toEqual(whole);
  });

  test('without an image, and of a runtime without such limits, have nothing in their place', async () => {
    using registry = openRegistry(newFolder());
    const { architecture: _a, cpuShares: _c, pids: _p, ...rest } = info('a');
    const shell: SandboxInfo = { ...rest, image: '', imageDigest: '', runtime: 'shell' };
    await registry.sandboxes.add(shell);
    expect(Object.keys(await registry.sandboxes.get('a')).sort()).toEqual(Object.keys(shell).sort());
    expect(await registry.sandboxes.list()).toEqual([shell]);
  });

  test('of a registry from before that was kept are not nested, are for i386, and have the limits that all had', async () => {
    const folder = newFolder();
    const database = new DatabaseSync(join(folder, 'coppice.sqlite'));
    database.exec(`${migrations[0]}; PRAGMA user_version = 1`);
    database.exec(
      "INSERT INTO sandboxes VALUES ('a', 'old', 'debian', 'd', 256, 1024, 'jail', 1700000000000)",
    );
    database.close();
    using registry = openRegistry(folder);
    expect(await registry.sandboxes.get('a')).toEqual(
      info('a', { name: 'old', imageDigest: 'd', cpuShares: 256, pids: 1_024 }),
    );
  });

  test('one that exists is not added again, and keeps what it was', async () => {
    using registry = openRegistry(newFolder());
    await registry.sandboxes.add(info('a'));
    const again = registry.sandboxes.add(info('a', { name: 'other' }));
    await expect(again).rejects.toMatchObject({ code: 'already-exists' });
    expect(await registry.sandboxes.list()).toEqual([info('a')]);
  });

  test('one that was begun and never added is found by its age', async () => {
    vi.useFakeTimers({ now: 1_000 });
    using registry = openRegistry(newFolder());
    await registry.sandboxes.begin('lost');
    await registry.sandboxes.begin('added');
    vi.setSystemTime(2_000);
    await registry.sandboxes.begin('late');
    await registry.sandboxes.add(info('added'));
    expect(await registry.sandboxes.unfinished(1_000)).toEqual([]);
    expect(await registry.sandboxes.unfinished(2_000)).toEqual(['lost']);
    expect(await registry.sandboxes.unfinished(2_001)).toEqual(['late', 'lost']);
    await registry.sandboxes.forgetUnfinished('lost');
    expect(await registry.sandboxes.unfinished(2_001)).toEqual(['late']);
  });
});

describe('tokens', () => {
  test('a token opens what it was made for until it is revoked', async () => {
    using registry = openRegistry(newFolder());
    const { sandboxes, tokens } = registry;
    await sandboxes.add(info('a'));
    const all = tokens.create({ name: 'laptop', scope: 'all' });
    const one = tokens.create({ name: 'agent', scope: { sandboxes: ['a'] } });
    expect(tokens.check(all.token)).toMatchObject({
      id: all.id,
      name: 'laptop',
      scope: 'all',
      access: 'write',
    });
    expect(tokens.check(one.token)).toMatchObject({ id: one.id, name: 'agent', scope: { sandboxes: ['a'] } });
    tokens.revoke(all.id);
    tokens.revoke('never');
    expect(tokens.check(all.token)).toBeUndefined();
    expect(isTokenText(all.token)).toBe(true);
    expect(tokens.list().map(({ id }) => id)).toEqual([one.id]);
  });

  test('a token for one sandbox goes with it, and none is made for one that is not there', async () => {
    using registry = openRegistry(newFolder());
    const { sandboxes, tokens } = registry;
    await sandboxes.add(info('a'));
    const { token } = tokens.create({ name: 'agent', scope: { sandboxes: ['a'] } });
    await sandboxes.remove('a');
    await sandboxes.add(info('a'));
    expect(tokens.check(token)).toBeUndefined();
    expect(tokens.list()).toEqual([]);
    const lost = () => tokens.create({ name: 'agent', scope: { sandboxes: ['b'] } });
    expect(lost).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  test('a token for several sandboxes loses each as it goes, and itself goes with the last', async () => {
    using registry = openRegistry(newFolder());
    const { sandboxes, tokens } = registry;
    for (const id of ['a', 'b']) await sandboxes.add(info(id));
    const { token } = tokens.create({ name: 'agent', scope: { sandboxes: ['a', 'b', 'a'] } });
    await sandboxes.remove('a');
    expect(tokens.check(token)?.scope).toEqual({ sandboxes: ['b'] });
    await sandboxes.remove('b');
    expect(tokens.check(token)).toBeUndefined();
    const many = Array.from({ length: limits.tokenSandboxes + 1 }, (_, index) => `s${index}`);
    const make = () => tokens.create({ name: 'agent', scope: { sandboxes: many } });
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(tokens.list()).toEqual([]);
  });

  test('a token goes with the one that it was made with, and is made with none that has gone', () => {
    using registry = openRegistry(newFolder());
    const { tokens } = registry;
    const parent = tokens.create({ name: 'server', scope: 'all' });
    const madeBy = tokens.check(parent.token);
    const child = tokens.create({ name: 'page', scope: 'all', access: 'read', madeBy });
    expect(tokens.check(child.token)).toMatchObject({ access: 'read', scope: 'all' });
    tokens.revoke(parent.id);
    expect([tokens.validUntilMs(parent.id), tokens.validUntilMs(child.id)]).toEqual([undefined, undefined]);
    expect(tokens.check(child.token)).toBeUndefined();
    const make = () => tokens.create({ name: 'late', scope: 'all', madeBy });
    expect(make).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });

  test('what has expired makes room when another token is made', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    using registry = openRegistry(newFolder());
    const { tokens } = registry;
    tokens.create({ name: 'short', scope: 'all', expiresAtMs: 1_000_001 });
    vi.setSystemTime(1_000_001);
    tokens.create({ name: 'next', scope: 'all' });
    expect(tokens.list().map(({ name }) => name)).toEqual(['next']);
  });

  test('sandboxes and tokens of a registry of before are what they were', async () => {
    const folder = newFolder();
    {
      const database = new DatabaseSync(join(folder, 'coppice.sqlite'));
      database.exec(`${migrations[0]}; PRAGMA user_version = 1`);
      const columns = 'id, name, hash, sandbox, created_at_ms, expires_at_ms';
      database.exec(`INSERT INTO sandboxes VALUES ('a', 'a', 'debian', 'd', 128, 1024, 'jail', 1);
        INSERT INTO tokens (${columns}) VALUES ('1', 'all', x'00', NULL, 1, NULL), ('2', 'one', x'01', 'a', 2, 3)`);
      database.close();
    }
    using registry = openRegistry(folder);
    expect(registry.tokens.list()).toEqual([
      { id: '1', name: 'all', scope: 'all', access: 'write', createdAtMs: 1 },
      { id: '2', name: 'one', scope: { sandboxes: ['a'] }, access: 'write', createdAtMs: 2, expiresAtMs: 3 },
    ]);
    expect(await registry.sandboxes.get('a')).toMatchObject({ cpuShares: 256, pids: 1_024 });
    await registry.sandboxes.remove('a');
    expect(registry.tokens.list().map(({ id }) => id)).toEqual(['1']);
  });

  test('a token expires, and its last use is written down once a minute', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    using registry = openRegistry(newFolder());
    const { tokens } = registry;
    const { id, token } = tokens.create({ name: 'short', scope: 'all', expiresAtMs: 1_100_000 });
    const times = { createdAtMs: 1_000_000, expiresAtMs: 1_100_000 };
    const info = { id, name: 'short', scope: 'all', access: 'write', ...times };
    expect(tokens.list()).toEqual([{ ...info, lastUsedAtMs: undefined }]);
    tokens.check(token);
    vi.setSystemTime(1_000_000 + limits.tokenUsedEveryMs - 1);
    tokens.check(token);
    expect(tokens.list()).toEqual([{ ...info, lastUsedAtMs: 1_000_000 }]);
    vi.setSystemTime(1_099_999);
    expect(tokens.check(token)).toMatchObject({ id, name: 'short', scope: 'all' });
    expect(tokens.list()).toEqual([{ ...info, lastUsedAtMs: 1_099_999 }]);
    vi.setSystemTime(1_100_000);
    expect(tokens.check(token)).toBeUndefined();
    expect(tokens.list()).toHaveLength(1);
  });

  test('no file of the registry holds a token, and no other user reads them', () => {
    const folder = newFolder();
    using registry = openRegistry(folder);
    const { token } = registry.tokens.create({ name: 'laptop', scope: 'all' });
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['coppice.sqlite', 'coppice.sqlite-shm', 'coppice.sqlite-wal']);
    registry[Symbol.dispose]();
    const bytes = readFileSync(join(folder, 'coppice.sqlite'));
    expect(bytes.includes('laptop')).toBe(true);
    expect(bytes.includes(token)).toBe(false);
    expect(statSync(join(folder, 'coppice.sqlite')).mode & 0o777).toBe(0o600);
  });

  test('a mistyped token is told from one that was made, and neither text is an error', () => {
    using registry = openRegistry(newFolder());
    const { token } = registry.tokens.create({ name: 'laptop', scope: 'all' });
    expect(token).toMatch(/^cpc_[0-9A-Za-z]{49}$/);
    for (let at = 0; at < token.length; at++) {
      const typo = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1);
      expect(isTokenText(typo)).toBe(false);
      expect(registry.tokens.check(typo)).toBeUndefined();
    }
    for (const text of ['', 'cpc_', `${token} `, token.slice(1), `${token}${token}`, '\u{1f333}']) {
      expect(registry.tokens.check(text)).toBeUndefined();
    }
    expect(registry.tokens.check(token)).toBeDefined();
  });

  test('no token is made that has expired already, or at no time', () => {
    vi.useFakeTimers({ now: 1_000 });
    using registry = openRegistry(newFolder());
    for (const expiresAtMs of [1_000, 0, -1, 2_000.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const make = () => registry.tokens.create({ name: 'late', scope: 'all', expiresAtMs });
      expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
    expect(registry.tokens.list()).toEqual([]);
  });

  test('a name has a bound', () => {
    using registry = openRegistry(newFolder());
    for (const name of ['', 'n'.repeat(limits.tokenNameBytes + 1), 'ß'.repeat(limits.tokenNameBytes)]) {
      const make = () => registry.tokens.create({ name, scope: 'all' });
      expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
  });
});

describe('openRegistry', () => {
  test('two processes may use one registry, each sees what the other did', async () => {
    const folder = newFolder();
    using first = openRegistry(folder);
    using second = openRegistry(folder);
    await first.sandboxes.add(info('a'));
    await second.sandboxes.add(info('b'));
    expect((await first.sandboxes.list()).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('H-4 knows after reopening which sandboxes have a root with unsaved files, and its last trees', () => {
    const folder = newFolder();
    const root = { kind: 'overlay', folder: 'f', layers: ['a', 'b'], madeAtMs: 7 } as const;
    const why = { sinceMs: 5, code: 'storage-full', message: 'no "room"' } as const;
    const trees = ['1'.repeat(64), '2'.repeat(64)] as ObjectId[];
    {
      using registry = openRegistry(folder);
      for (const sandbox of ['b', 'a', 'c']) registry.unsaved.put({ sandbox, root, trees: [], why });
      registry.unsaved.put({ sandbox: 'a', root, trees, why });
      registry.unsaved.remove('c');
      registry.unsaved.remove('never');
    }
    using registry = openRegistry(folder);
    expect(registry.unsaved.list().map(({ sandbox }) => sandbox)).toEqual(['a', 'b']);
    expect(registry.unsaved.get('a')).toEqual({ sandbox: 'a', root, trees, why });
    expect(registry.unsaved.get('c')).toBeUndefined();
  });

  test('refuses a registry that a newer program wrote, and leaves it as it is', () => {
    const folder = newFolder();
    openRegistry(folder)[Symbol.dispose]();
    const path = join(folder, 'coppice.sqlite');
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => openRegistry(folder)).toThrow(expect.objectContaining({ code: 'version-mismatch' }));
    const reopened = new DatabaseSync(path);
    expect(reopened.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 });
    reopened.close();
  });

  test.each([
    ['that is no database', () => Buffer.from('not a database at all'.repeat(100))],
    ['with a damaged page', (bytes: Buffer) => bytes.fill(0xee, 4_096 + 8, 8_192)],
    ['that is cut', (bytes: Buffer) => bytes.subarray(0, 4_096)],
  ])('tells what to do with a file %s', async (_, damage) => {
    const folder = newFolder();
    const path = join(folder, 'coppice.sqlite');
    {
      using registry = openRegistry(folder);
      for (let n = 0; n < 100; n++) await registry.sandboxes.add(info(`sandbox-${n}`));
    }
    writeFileSync(path, damage(readFileSync(path)));
    const open = () => openRegistry(folder);
    expect(open).toThrow(expect.objectContaining({ code: 'corrupt-object' }));
    expect(open).toThrow(/coppice\.sqlite.*are not affected.*\.recover/);
  });
});
