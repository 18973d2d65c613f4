import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Host } from '../../bridge-server/main/open-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openTestHost } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

for (const kind of ['overlay', 'btrfs'] as const) {
  const lack = await whatJailsLack(kind);
  describe.skipIf(lack)(`I-4 a session over a jail on ${kind}${lack ? ` (not here: ${lack})` : ''}`, () => {
    let host: Host;
    let sandbox: Sandbox;
    beforeAll(async () => {
      host = await openTestHost(kind);
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      const made = await Sandbox.create({ backend: host.backend });
      sandbox = made;
      await made.run('mkdir /workspace && chown user: /workspace', { user: 'root' });
      await made.run('echo one > /workspace/file; echo one > ~/file');
      return async () => {
        await made.close();
        await Sandbox.delete(made.id, { backend: host.backend });
        expect(await Sandbox.list({ backend: host.backend })).toEqual([]);
      };
    });

    test('has home and workspace at the same paths, tells what it changed, and drops it', async () => {
      const session = await sandbox.session();
      const { stdout } = await session.sandbox.run('cat /workspace/file ~/file; pwd', { cwd: '/workspace' });
      expect(stdout).toBe('one\none\n/workspace\n');
      expect(await session.changes()).toEqual([]);
      await session.sandbox.run('echo two > /workspace/file; rm ~/file');
      const changes = (await session.changes()).filter(({ type }) => type !== 'metadata');
      expect(changes.map(({ type, path }) => [type, path])).toEqual([
        ['deleted', '/home/user/file'],
        ['modified', '/workspace/file'],
      ]);
      await session.drop();
      await session.drop();
      expect((await sandbox.run('cat /workspace/file ~/file')).stdout).toBe('one\none\n');
    });

    test('is kept as one step of its parent, with its history, and there is a way back', async () => {
      const session = await sandbox.session();
      await session.sandbox.run('echo two > /workspace/file');
      const step = await session.sandbox.createSnapshot({ label: 'half' });
      await session.sandbox.run('echo three > ~/file');
      const { head, previousHead } = await session.keep();
      expect((await sandbox.run('cat /workspace/file ~/file')).stdout).toBe('two\nthree\n');
      const log = (await sandbox.history.log()).map(({ id }) => id);
      expect(log.indexOf(head)).toBeLessThan(log.indexOf(step.id));
      expect(log.indexOf(step.id)).toBeLessThan(log.indexOf(session.base));
      expect(log.indexOf(head)).toBeGreaterThanOrEqual(0);
      await sandbox.checkout(previousHead);
      expect((await sandbox.run('cat /workspace/file ~/file')).stdout).toBe('one\none\n');
    });

    test('is not kept where its parent has moved on; both stay as they are', async () => {
      await using session = await sandbox.session();
      await session.sandbox.run('echo two > /workspace/file');
      await sandbox.run('echo else > ~/file');
      await expect(session.keep()).rejects.toMatchObject({
        code: 'conflict',
        message: 'Cannot keep the session: its sandbox has changed since it began ("/home/user/file")',
      });
      const aborted = session.keep({ signal: AbortSignal.abort() });
      await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
      expect((await sandbox.run('cat /workspace/file ~/file')).stdout).toBe('one\nelse\n');
      expect((await session.sandbox.run('cat /workspace/file ~/file')).stdout).toBe('two\none\n');
      // Undone, it may be kept.
      await sandbox.checkout(session.base);
      await session.keep();
      expect((await sandbox.run('cat /workspace/file ~/file')).stdout).toBe('two\none\n');
    });
  });
}
