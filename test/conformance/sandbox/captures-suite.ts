import { afterAll, beforeAll, expect } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { ranCommands } from '../../../protocol/sandbox/ran-commands.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { EventWatch } from './event-watch.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

/** Automatic capture, whatever runs it. */
export function capturesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('automatic capture', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
      await sandbox.history.head(); // The first snapshot is there.
    });
    afterAll(() => sandbox?.close());

    test('R-3 a command is one snapshot, with its paths and itself as the cause', async () => {
      const events = await EventWatch.open(sandbox);
      await sandbox.run('cd ~; for i in $(seq 20); do echo $i > file-$i; done');
      const { snapshot, head } = await events.next('snapshot');
      expect(head).toBe(snapshot.id);
      expect(snapshot.cause).toMatchObject({
        type: 'capture',
        commands: ['cd ~; for i in $(seq 20); do echo $i > file-$i; done'],
      });
      expect(snapshot.changes).toMatchObject({ created: 20, deleted: 0 });
      await sandbox.run('true');
      await sandbox.files.write('/home/user/next', 'x');
      await events.next('snapshot', ({ snapshot }) => snapshot.changes.paths.includes('/home/user/next'));
      expect(events.count('snapshot')).toBe(2);
    });

    test('R-3 HEAD has what a command and a client have changed once the history has settled', async () => {
      const inHead = async () =>
        sandbox.files.read('/home/user/settled', { at: await sandbox.history.head() });
      await sandbox.run('echo by a command > /home/user/settled');
      await sandbox.history.settle();
      expect(await inHead()).toBe('by a command\n');
      await sandbox.files.write('/home/user/settled', 'by a client');
      await sandbox.history.settle();
      expect(await inHead()).toBe('by a client');
      const { snapshots } = await sandbox.history.get();
      expect(snapshots.slice(-2).map(({ cause }) => cause.type)).toEqual(['capture', 'capture']);
    });

    test('X-3 a snapshot says how the command before it was given, how it ended and how long it took', async () => {
      const events = await EventWatch.open(sandbox);
      await sandbox.run(['bash', '-c', 'echo failed > ~/result; exit 3']);
      const { snapshot } = await events.next('snapshot');
      expect(ranCommands(snapshot)).toEqual([
        {
          command: "bash -c 'echo failed > ~/result; exit 3'",
          argv: ['bash', '-c', 'echo failed > ~/result; exit 3'],
          by: 'exec',
          exitCode: 3,
          startedAtMs: expect.any(Number),
          durationMs: expect.any(Number),
        },
      ]);
    });

    test('R-3 a file that is changed directly is captured, with no command as its cause', async () => {
      const events = await EventWatch.open(sandbox);
      await sandbox.files.write('/home/user/direct', 'by hand');
      const { snapshot } = await events.next('snapshot');
      expect(snapshot.cause).toEqual({ type: 'capture', commands: [] });
      expect(snapshot.changes).toMatchObject({
        created: 1,
        paths: expect.arrayContaining(['/home/user/direct']),
      });
      expect(snapshot.parents).toHaveLength(1);
    });

    test('R-3 a write and a removal are one snapshot each, however many steps they take', async () => {
      const events = await EventWatch.open(sandbox);
      await sandbox.files.write('/home/user/steps', 'x'.repeat(1_000_000), { mode: 0o600 });
      const { snapshot: written } = await events.next('snapshot');
      expect(written.changes.created).toBe(1);
      const { uid, mode } = await sandbox.files.stat('/home/user/steps', { at: written.id });
      expect([uid, mode]).toEqual([1000, 0o600]);
      await sandbox.files.remove('/home/user/steps');
      const { snapshot: removed } = await events.next('snapshot');
      expect(removed.changes.deleted).toBe(1);
      await sandbox.files.write('/home/user/marker', 'after');
      await events.next('snapshot', ({ snapshot }) => snapshot.changes.paths.includes('/home/user/marker'));
      expect(events.count('snapshot')).toBe(3);
    });

    test('R-3 a command that changes nothing leaves no snapshot', async () => {
      const before = (await sandbox.history.get()).snapshots.length;
      await sandbox.run('ls / > /dev/null; echo hi > /dev/shm/not-in-the-tree');
      const events = await EventWatch.open(sandbox);
      await sandbox.files.write('/home/user/marker', 'x');
      await events.next('snapshot', ({ snapshot }) => snapshot.changes.paths.includes('/home/user/marker'));
      expect((await sandbox.history.get()).snapshots.length).toBe(before + 1);
    });

    test('R-3 a command that goes on is captured meanwhile', async () => {
      const events = await EventWatch.open(sandbox);
      // One that writes all the time is captured later: sandbox/capture/capture-timer.test.ts.
      const command = await sandbox.commands.run('while :; do date >> ~/log; sleep 3; done', {
        background: true,
      });
      const { snapshot } = await events.next('snapshot', ({ snapshot }) =>
        snapshot.changes.paths.includes('/home/user/log'),
      );
      expect(snapshot.cause).toEqual({
        type: 'capture',
        commands: ['while :; do date >> ~/log; sleep 3; done'],
        runs: [expect.any(String)],
      });
      await command.kill();
      expect(await command.wait()).toMatchObject({ signal: 'SIGKILL' });
    });

    test('H-4 H-6 a snapshot holds what a running program has written so far', async () => {
      const size = 200_000;
      const written = Promise.withResolvers<void>();
      const command = await sandbox.commands.run(
        `head -c ${size} /dev/zero > ~/written; echo done; sleep 1000`,
        {
          background: true,
          onStdout: () => written.resolve(),
        },
      );
      await written.promise;
      const { id } = await sandbox.createSnapshot();
      const { sizeBytes } = await sandbox.files.stat('/home/user/written', { at: id });
      expect(sizeBytes).toBe(size);
      expect(await sandbox.files.read('/home/user/written', { at: id })).toBe('\0'.repeat(size));
      await command.kill();
    });

    test('H-4 leaving for another snapshot keeps what a running program has written', async () => {
      const { id } = await sandbox.createSnapshot();
      const written = Promise.withResolvers<void>();
      await sandbox.commands.run('seq 10000 > ~/numbers; echo done; sleep 1000', {
        background: true,
        onStdout: () => written.resolve(),
      });
      await written.promise;
      const { previousHead } = await sandbox.checkout(id);
      expect(await sandbox.files.exists('/home/user/numbers')).toBe(false);
      await sandbox.checkout(previousHead);
      expect((await sandbox.run('tail -n 1 ~/numbers; wc -l < ~/numbers')).stdout).toBe('10000\n10000\n');
    });

    test('R-3 a long list of changes is cut, and counted whole', async () => {
      const events = await EventWatch.open(sandbox);
      await sandbox.run('mkdir ~/many; cd ~/many; seq 200 | xargs touch');
      const paths: number[] = [];
      // On a slow machine the first of them are captured while the others are still being made.
      for (let created = 0; created < 200; ) {
        const { changes } = (await events.next('snapshot')).snapshot;
        created += changes.created;
        paths.push(changes.paths.length);
      }
      expect(Math.max(...paths)).toBe(limits.snapshotPaths);
    });
  });
}
