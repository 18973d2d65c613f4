import { describe, expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

describe('a sandbox that has just started', () => {
  test('H-7 two from the same golden state differ in what is random, and both know the time', async () => {
    await using first = await openSandbox();
    await using second = await openSandbox();
    const script = 'od -An -tx1 -N16 /dev/urandom; cat /proc/sys/kernel/random/uuid; date +%s%N';
    const answers = [];
    for (const sandbox of [first, second]) {
      const beforeMs = Date.now();
      const { stdout } = await sandbox.run(script);
      const [random = '', uuid = '', time = ''] = stdout.split('\n');
      const timeMs = Number(BigInt(time) / 1_000_000n);
      expect(timeMs).toBeGreaterThan(beforeMs - 2_000);
      expect(timeMs).toBeLessThan(Date.now() + 2_000);
      answers.push(random, uuid);
    }
    expect(new Set(answers).size).toBe(4);

    const { id } = await first.createSnapshot();
    await first.checkout(id);
    const beforeMs = Date.now();
    const { stdout } = await first.run('date +%s');
    expect(Number(stdout) * 1000).toBeGreaterThan(beforeMs - 3_000);
    expect(Number(stdout) * 1000).toBeLessThan(Date.now() + 2_000);
  });

  test('I-2 the home is a copy of the template that belongs to the user', async () => {
    await using sandbox = await openSandbox();
    const { stdout } = await sandbox.run(
      'stat -c "%U:%G %F" ~ ~/.bashrc ~/.profile; diff -r /etc/skel ~ && echo same; touch ~/mine && echo writable',
    );
    expect(stdout).toBe(
      'user:user directory\nuser:user regular file\nuser:user regular file\nsame\nwritable\n',
    );
  });

  test('R-3 its first snapshot is the image, whatever is done at once', async () => {
    await using sandbox = await openSandbox();
    await sandbox.run('rm -rf /usr/share/doc', { user: 'root' });
    const { id, created } = await sandbox.createSnapshot().then(async (last) => {
      const { snapshots } = await sandbox.history.get();
      const first = snapshots.find(({ cause }) => cause.type === 'image');
      const causes = snapshots.map(({ cause }) => cause);
      expect(causes).toContainEqual({
        type: 'capture',
        commands: ['rm -rf /usr/share/doc'],
        runs: [expect.any(String)],
      });
      return { id: first?.id ?? last.id, created: last.id };
    });
    expect((await sandbox.files.stat('/usr/share/doc', { at: id })).type).toBe('directory');
    await expect(sandbox.files.stat('/usr/share/doc', { at: created })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  test('H-10 a read-only sandbox refuses changes by name, and its server refuses them to the guest’s root', async () => {
    await using sandbox = await openSandbox({ readOnly: true });
    await expect(sandbox.createSnapshot()).rejects.toMatchObject({ code: 'read-only' });
    await expect(sandbox.files.write('/home/x', 'x')).rejects.toMatchObject({ code: 'read-only' });
    const { stdout, stderr } = await sandbox.run('mount -o remount,rw /; touch /etc/new; id -un', {
      user: 'root',
    });
    expect(stderr).toContain('Read-only file system');
    expect(stdout).toBe('root\n');
    expect(await sandbox.files.exists('/etc/new')).toBe(false);
  });
});
