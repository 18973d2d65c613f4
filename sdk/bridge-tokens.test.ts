import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveSockets } from '../bridge-server/main/serve-sockets.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxConnection } from '../protocol/sandbox.ts';
import { WireSessions } from '../protocol/wire/wire-sessions.ts';
import { openTestBridge, type TestBridge, testTokens } from '../test/http/test-bridge.ts';
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

/** Every call of a connection but `close`, with whether it only looks. */
const calls: { [Name in keyof SandboxConnection]: (on: SandboxConnection) => Promise<unknown> } = {
  info: (on) => on.info(),
  exec: (on) => on.exec({ command: 'true' }, () => {}),
  readFile: (on) => on.readFile('/etc/hostname'),
  writeFile: (on) => on.writeFile('/x', Uint8Array.of(1)),
  listFiles: (on) => on.listFiles('/etc'),
  statFile: (on) => on.statFile('/etc/hostname'),
  makeDirectory: (on) => on.makeDirectory('/d'),
  removeFile: (on) => on.removeFile('/etc/hostname'),
  renameFile: (on) => on.renameFile('/etc/hostname', '/x'),
  history: (on) => on.history(),
  createSnapshot: (on) => on.createSnapshot(),
  checkout: async (on) => on.checkout((await on.history()).head),
  fork: async (on) => on.fork((await on.history()).head),
  recording: (on) => on.recording(),
  setRecording: (on) => on.setRecording({ perSecond: 1 }),
  screenAt: (on) => on.screenAt(1, 1),
  goToMoment: (on) => on.goToMoment(1),
  diff: async (on) => on.diff((await on.history()).head, 'now'),
  setTag: async (on) => on.setTag('tag', (await on.history()).head),
  deleteSnapshot: async (on) => on.deleteSnapshot((await on.history()).head),
  collectGarbage: (on) => on.collectGarbage(),
  exportTar: (on) => on.exportTar('now'),
  openParcel: async (on) => on.openParcel((await on.history()).head),
  openIntake: (on) => on.openIntake(),
  storage: (on) => on.storage(),
  networkLog: (on) => on.networkLog(),
  report: (on) => on.report(),
  subscribe: (on) => on.subscribe(0, () => {}),
  close: (on) => on.close(),
};
const changes: readonly string[] = [
  'exec',
  'writeFile',
  'makeDirectory',
  'removeFile',
  'renameFile',
  'createSnapshot',
  'checkout',
  'fork',
  'setRecording',
  'goToMoment',
  'setTag',
  'deleteSnapshot',
  'collectGarbage',
  'openIntake',
];

describe('S-6 over one connection, a token for reading', () => {
  test.each(Object.entries(calls))('%s', async (name, call) => {
    await using bridge = await open(testTokens.lookAtOne);
    const { connection } = await Sandbox.open('box-1', { backend: bridge });
    const code = await call(connection).then(
      () => 'done',
      (error) => error.code,
    );
    if (changes.includes(name)) expect(code).toBe('forbidden');
    else expect(code).not.toBe('forbidden');
  });

  test('sees no other sandbox, makes none and deletes none', async () => {
    await using bridge = await open(testTokens.lookAtOne);
    expect((await bridge.list()).map(({ id }) => id)).toEqual(['box-1']);
    const codes = await Promise.all(
      [
        bridge.delete('box-1'),
        bridge.delete('box-2'),
        Sandbox.open('box-2', { backend: bridge }),
        bridge.connect('box-2'),
        bridge.exportTar('box-2'),
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
