import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveSockets } from '../bridge-server/main/serve-sockets.ts';
import { limits } from '../protocol/limits.ts';
import { callMethod, sandboxMethods } from '../protocol/sandbox/tables.ts';
import { WireSessions } from '../protocol/wire/server/wire-sessions.ts';
import { openTestBridge, type TestBridge, testTokens } from '../test/http/test-bridge.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import { type BridgeConnection, connect } from './connect.ts';
import { Sandbox } from './sandbox.ts';

let sessions: WireSessions;
let there: TestBridge;
beforeEach(async () => {
  sessions = new WireSessions();
  there = await openTestBridge({ onSocket: serveSockets(sessions) });
});
afterEach(async () => {
  await sessions[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

const open = (token: string): Promise<BridgeConnection> => connect({ url: there.bridge.url, token });
const one = { sandboxes: ['box-1'] };

describe('S-6 bridge.tokens', () => {
  test('makes a token that opens what it is for, lists it, and takes it back', async () => {
    await using bridge = await open(testTokens.all);
    const { token, ...info } = await bridge.tokens.create({ name: 'page', scope: one, access: 'write' });
    const lastsMs = Number(info.expiresAtMs) - info.createdAtMs;
    expect(Math.abs(lastsMs - limits.tokenTtlMs.usual)).toBeLessThan(1_000);
    expect((await bridge.tokens.list()).at(-1)).toMatchObject({ id: info.id, name: 'page', scope: one });
    await using page = await open(token);
    const sandbox = await Sandbox.open('box-1', { backend: page });
    expect(await sandbox.files.exists('/etc/hostname')).toBe(true);
    await bridge.tokens.revoke(info.id);
    await expect(sandbox.files.exists('/etc/hostname')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(open(token)).rejects.toMatchObject({ code: 'connection-lost' });
    await expect(page.tokens.list()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(sessions.size).toBe(1);
  });

  test('says what the bridge refuses, and that there is none', async () => {
    await using bridge = await open(testTokens.one);
    const make = bridge.tokens.create({ name: 'more', scope: 'all', access: 'read' });
    await expect(make).rejects.toMatchObject({ code: 'forbidden' });
    await expect(bridge.tokens.revoke('f'.repeat(16))).rejects.toMatchObject({ code: 'not-found' });
    await there.bridge[Symbol.asyncDispose]();
    await expect(bridge.tokens.list()).rejects.toMatchObject({ code: 'connection-lost' });
  });
});

/** What the methods are asked with here that need something. */
const asks: Readonly<Record<string, object>> = {
  'processes.exec': { command: 'true' },
  'shells.open': {},
  'shells.run': { id: 's', command: 'true' },
  'shells.save': { id: 's' },
  'shells.restore': { bytes: Uint8Array.of(1) },
  'shells.close': { id: 's' },
  'files.read': { path: '/etc/hostname' },
  'files.write': { path: '/x', bytes: Uint8Array.of(1) },
  'files.list': { path: '/etc' },
  'files.stat': { path: '/etc/hostname' },
  'files.makeDirectory': { path: '/d' },
  'files.remove': { path: '/etc/hostname' },
  'files.rename': { from: '/etc/hostname', to: '/x' },
  'files.copy': { from: '/etc/hostname', to: '/x' },
  'checkpoints.configure': { perSecond: 1 },
  'checkpoints.terminalOutput': { checkpoint: 1, pid: 1 },
  'checkpoints.restore': { id: 1 },
  'transfer.exportTar': { at: 'now' },
  'recording.save': { terminals: false },
  'events.subscribe': { after: 0 },
  'git.clone': { url: 'https://example.org/a.git', directory: '/a' },
  'git.fetch': { directory: '/a' },
  'git.push': { directory: '/a' },
  'git.status': { directory: '/a' },
  'git.diff': { directory: '/a' },
  'git.add': { directory: '/a' },
  'git.commit': { directory: '/a', message: 'm' },
  'git.log': { directory: '/a' },
  'git.branches': { directory: '/a' },
  'git.checkout': { directory: '/a', ref: 'main' },
};

/** As `asks`, for methods that name a snapshot. */
const asksAbout: Readonly<Record<string, (id: SnapshotId) => object>> = {
  'history.checkout': (id) => ({ id }),
  'history.merge': (id) => ({ id }),
  'history.fork': (id) => ({ id }),
  'history.diff': (id) => ({ from: id, to: 'now' }),
  'history.setTag': (id) => ({ name: 'tag', id }),
  'history.deleteSnapshot': (id) => ({ id }),
  'transfer.openExport': (id) => ({ id }),
};
const changes: readonly string[] = [
  'processes.exec',
  'shells.open',
  'shells.restore',
  'shells.run',
  'shells.close',
  'files.write',
  'files.makeDirectory',
  'files.remove',
  'files.rename',
  'files.copy',
  'history.createSnapshot',
  'history.checkout',
  'history.merge',
  'history.fork',
  'history.setTag',
  'history.deleteSnapshot',
  'history.prune',
  'history.setRetention',
  'history.collectGarbage',
  'history.settle',
  'checkpoints.configure',
  'checkpoints.restore',
  'transfer.openImport',
  'transfer.openRestore',
  'git.clone',
  'git.fetch',
  'git.push',
  'git.status',
  'git.diff',
  'git.add',
  'git.commit',
  'git.checkout',
];

describe('S-6 over one connection, a token for reading', () => {
  test.each(sandboxMethods.map(({ facet, method }) => [`${facet}.${method}`, { facet, method }] as const))(
    '%s',
    async (name, method) => {
      await using bridge = await open(testTokens.lookAtOne);
      const { connection } = await Sandbox.open('box-1', { backend: bridge });
      const { head } = await connection.history.get();
      const ask = asksAbout[name]?.(head) ?? asks[name];
      const code = await callMethod(connection, method, ask, () => {}).then(
        () => 'done',
        (error) => error.code,
      );
      if (changes.includes(name)) expect(code).toBe('forbidden');
      else expect(code).not.toBe('forbidden');
    },
  );

  test('sees no other sandbox, makes none and deletes none', async () => {
    await using bridge = await open(testTokens.lookAtOne);
    expect((await bridge.list()).map(({ id }) => id)).toEqual(['box-1']);
    const codes = await Promise.all(
      [
        bridge.delete({ id: 'box-1' }),
        bridge.delete({ id: 'box-2' }),
        Sandbox.open('box-2', { backend: bridge }),
        bridge.connect({ id: 'box-2' }),
        bridge.exportTar({ id: 'box-2' }),
        Sandbox.create({ backend: bridge }),
        Promise.resolve(bridge.images?.()),
      ].map((each) => each.catch((error) => error.code)),
    );
    expect(codes).toEqual([
      'forbidden',
      ...['not-found', 'not-found', 'not-found', 'not-found'],
      ...['forbidden', 'forbidden'],
    ]);
  });
});
