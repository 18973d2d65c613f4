import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RootKind } from '../../bridge-server/roots/open-root-maker.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ranCommands } from '../../protocol/sandbox/ran-commands.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { runsLong } from '../runs-long.ts';
import { hostOfTests } from './host-of-tests.ts';
import { openTestHost } from './open-test-host.ts';
import { startUserBridge, whatUsersLack } from './user-bridge.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
const userLack = lack ?? (await whatUsersLack());

/** From the last write to the event of its snapshot, on a host that has time. */
const capturedWithinMs = 2_000;

/** Runs `change` in the background, a while after the command that starts it has been captured. */
async function captureInBackground(sandbox: Sandbox, change: string): Promise<SnapshotInfo> {
  const { promise, resolve } = Promise.withResolvers<{ snapshot: SnapshotInfo; toldAtMs: number }>();
  const unsubscribe = await sandbox.subscribe((event) => {
    if (event.type !== 'snapshot' || event.snapshot.cause.type !== 'capture') return;
    if (event.snapshot.changes.paths.includes('/home/user/late'))
      resolve({ snapshot: event.snapshot, toldAtMs: Date.now() });
  });
  const background = `sleep 1; ${change}; date +%s%3N > ~/late; exec sleep 100`;
  await sandbox.run(`(${background}) > /dev/null 2>&1 &`);
  const { snapshot, toldAtMs } = await promise;
  unsubscribe();
  const writtenAtMs = Number(await sandbox.files.read('/home/user/late', { at: snapshot.id }));
  if (runsLong) expect(toldAtMs - writtenAtMs).toBeLessThan(capturedWithinMs);
  return snapshot;
}

describe.skipIf(lack)(`R-3 background changes as root${lack ? ` (not here: ${lack})` : ''}`, () => {
  for (const kind of ['overlay', 'btrfs', 'copy'] satisfies RootKind[]) {
    test(`are in a snapshot that nobody asked for, on ${kind} roots`, async () => {
      await using host = await openTestHost(kind);
      await using sandbox = await Sandbox.create({ backend: host.backend });
      expect((await sandbox.report()).watch).toEqual({ by: 'fanotify' });
      await captureInBackground(sandbox, 'mkdir -p ~/new/deep; echo 1 > ~/new/deep/file; rm ~/.profile');
      const paths = (await sandbox.diff('HEAD~1', 'HEAD')).map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(['/home/user/new/deep/file', '/home/user/.profile']));
    });
  }
});

describe.skipIf(lack)(`R-3 a watched sandbox${lack ? ` (not here: ${lack})` : ''}`, () => {
  const opened = hostOfTests();

  test('SN-16 S-4 names no process where a client has changed files', async () => {
    await using sandbox = await Sandbox.create({ backend: opened.host.backend });
    const written = Promise.withResolvers<SnapshotInfo>();
    await sandbox.subscribe((event) => {
      if (event.type === 'snapshot' && event.snapshot.changes.paths.includes('/home/user/mine'))
        written.resolve(event.snapshot);
    });
    await sandbox.files.write('/home/user/mine', 'text');
    expect(ranCommands(await written.promise)).toEqual([]);
  });

  test('SN-16 names the process that changed files while no command ran', async () => {
    await using sandbox = await Sandbox.create({ backend: opened.host.backend });
    const script = 'sleep 1; while :; do date +%s%3N > ~/late; sleep 0.2; done';
    const named = Promise.withResolvers<SnapshotInfo>();
    await sandbox.subscribe((event) => {
      if (event.type !== 'snapshot') return;
      if (ranCommands(event.snapshot).some(({ by }) => by === 'process')) named.resolve(event.snapshot);
    });
    await sandbox.run(`sh -c '${script}' > /dev/null 2>&1 &`);
    const snapshot = await named.promise;
    expect(snapshot.cause).toEqual({ type: 'capture', commands: [] });
    expect(ranCommands(snapshot)).toMatchObject([{ by: 'process', argv: ['sh', '-c', script] }]);
  });

  test('waits with what changes in an ignored directory for the next change elsewhere', async () => {
    await using sandbox = await Sandbox.create({
      backend: opened.host.backend,
      ignore: ['/home/user/drafts'],
    });
    expect(sandbox.info.ignore).toEqual(['/home/user/drafts']);
    await sandbox.run('mkdir ~/drafts');
    const { changes } = await captureInBackground(sandbox, 'echo 1 > ~/drafts/x; sleep 1');
    expect(changes.paths).toEqual(['/home/user/drafts/x', '/home/user/late']);
  });

  test('leaves nothing behind when it is deleted while it is written to', async () => {
    const sandbox = await Sandbox.create({ backend: opened.host.backend });
    const roots = () =>
      readdirSync(join(opened.folder, 'roots')).flatMap((kind) =>
        readdirSync(join(opened.folder, 'roots', kind, 'roots')),
      );
    await sandbox.run('(while :; do date > ~/late; done) > /dev/null 2>&1 &');
    const { id } = sandbox;
    await sandbox.close();
    await opened.host.backend.delete({ id });
    expect(roots()).toEqual([]);
  });
});

describe.skipIf(userLack)(
  `R-3 background changes of an ordinary user${userLack ? ` (not here: ${userLack})` : ''}`,
  () => {
    test('are in a snapshot that nobody asked for, as each directory is watched', async () => {
      await using bridge = await startUserBridge('range');
      await using backend = await connect(bridge);
      await using sandbox = await Sandbox.create({ backend });
      const { watch } = await sandbox.report();
      expect(watch).toMatchObject({ by: 'inotify', why: expect.stringContaining('no fanotify') });
      await captureInBackground(sandbox, 'mkdir -p ~/new/deep; echo 1 > ~/new/deep/file');
      const { watches = 0 } = (await sandbox.report()).watch ?? {};
      expect(watches).toBeGreaterThan(watch?.watches ?? 0);
    });

    test('are looked for where there are more directories than may be watched', async () => {
      await using bridge = await startUserBridge('one', { watches: 3 });
      await using backend = await connect(bridge);
      await using sandbox = await Sandbox.create({ backend });
      await sandbox.run('mkdir -p ~/1/2/3/4');
      await expect
        .poll(async () => (await sandbox.report()).watch)
        .toEqual({ by: 'polling', why: expect.stringContaining('more than 3 directories') });
    });
  },
);
