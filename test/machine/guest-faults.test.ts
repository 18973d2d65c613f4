import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { EventWatch } from '../conformance/sandbox/event-watch.ts';
import { inLongRun } from '../runs-long.ts';
import { openSandbox } from './open-sandbox.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

/** Overwrites the code of PID 1, as root may, with what `printf` makes of `bytes`, and wakes it by some output. */
const overwriteInit = (bytes: string): string => `
  set -- $(grep -m1 r-xp /proc/1/maps | tr - ' ')
  printf '${bytes}%.0s' {1..32768} | dd of=/proc/1/mem bs=4096 seek=$((16#$1 / 4096)) conv=notrunc`;

describe('whatever becomes of the guest, a checkout makes it work again', () => {
  let sandbox: Sandbox;
  let good: SnapshotId;
  beforeAll(async () => {
    sandbox = await openSandbox();
    await sandbox.files.write('/home/user/kept', 'kept');
    good = (await sandbox.createSnapshot({ label: 'good' })).id;
  });
  afterAll(() => sandbox?.close());
  afterEach(async () => {
    const { head } = await sandbox.checkout(good);
    expect(head).toBe(good);
    const { stdout } = await sandbox.run('cat ~/kept; id -un; ps -e -o comm= | wc -l');
    expect(stdout).toMatch(/^keptuser\n\d\d?\n$/);
  });

  test('kernel panic: it is told with the kernel’s words, what ran ends, the history can be read', async () => {
    const events = await EventWatch.open(sandbox);
    const other = await sandbox.commands.run('sleep 1000', { background: true });
    const crash = await sandbox.run(`${overwriteInit('\\x0f\\x0b')}; sleep 1000`, { user: 'root' });
    expect(crash).toMatchObject({ reason: 'machine-failed' });
    expect(await other.wait()).toMatchObject({ reason: 'machine-failed' });
    const { error } = await events.next('machine-failed');
    expect(error).toMatchObject({ code: 'machine-failed', message: expect.stringContaining('kill init') });
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'machine-failed' });
    expect(await sandbox.files.read('/home/user/kept', { at: good })).toBe('kept');
  });

  test('a guest that hangs is started anew', async () => {
    const hangs = sandbox.run(`mkdir /hangs; ${overwriteInit('\\xeb\\xfe')}; sleep 1000`, { user: 'root' });
    const changed = async () => (await sandbox.history.get()).pending.paths;
    await expect.poll(changed, { timeout: 60_000 }).toContain('/hangs');
    await sandbox.checkout(good);
    expect(await hangs).toMatchObject({ reason: 'checkout' });
  });

  test('a guest that restarts itself says so', async () => {
    const events = await EventWatch.open(sandbox);
    const restart = 'import ctypes; ctypes.CDLL(None).reboot(0x01234567)';
    const result = await sandbox.run(['python3', '-c', restart], { user: 'root' });
    expect(result).toMatchObject({ reason: 'machine-failed' });
    const { error } = await events.next('machine-failed');
    expect(error.message).toBe('The machine stopped: Restarting system');
  });

  longTest(
    'fork bomb: root can still act, and nothing of it is left',
    async () => {
      const isFull = Promise.withResolvers<void>();
      const bomb = await sandbox.commands.run('b() { b | b & }; b; sleep 1000', {
        background: true,
        // It may not fork any more: it is as large as it gets, and its processes wait a while before they try again.
        onStderr: () => isFull.resolve(),
      });
      await isFull.promise;
      const many = async () =>
        Number((await sandbox.run('ls -d /proc/[0-9]* | wc -l', { user: 'root' })).stdout);
      await expect.poll(many, { timeout: 300_000 }).toBeGreaterThan(300);
      await sandbox.checkout(good);
      expect(await bomb.wait()).toMatchObject({ reason: 'checkout' });
    },
    480_000,
  );

  test('rm -rf / as root', async () => {
    await sandbox.run('rm -rf --no-preserve-root / 2> /dev/null', { user: 'root' });
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'not-found' });
    await sandbox.checkout(good);
    expect((await sandbox.run('python3 -c "print(6*7)"')).stdout).toBe('42\n');
  });

  longTest('every process killed, the root remounted, /proc and /dev taken away', async () => {
    const other = await sandbox.commands.run('sleep 1000', { background: true });
    await sandbox.run('umount -l /proc /dev /sys; mount -o remount,ro /; kill -9 -1', { user: 'root' });
    expect(await other.wait()).toMatchObject({ signal: 'SIGKILL' });
  });

  longTest('all memory taken by a program: the kernel ends it, not the machine', async () => {
    const result = await sandbox.run(['python3', '-c', 'x = bytearray(1 << 20) * 400']);
    expect(result.exitCode).not.toBe(0);
  });
});

describe('a full disk', () => {
  test('ENOSPC in the guest; what was there stays, capture goes on, removing makes room', async () => {
    await using sandbox = await openSandbox({ diskMiB: 240 });
    await sandbox.files.write('/home/user/kept', 'kept');
    const free = Number((await sandbox.run('df --output=avail -k / | tail -1')).stdout);
    const fill = `head -c ${free - 2048}K /dev/zero > ~/filler && sync`;
    expect(await sandbox.run(fill)).toMatchObject({ exitCode: 0, stderr: '' });
    const over = await sandbox.run('dd if=/dev/zero of=~/over bs=1M count=4');
    expect(over.exitCode).toBe(1);
    expect(over.stderr).toContain("error writing '/home/user/over': No space left on device");
    const { id } = await sandbox.createSnapshot({ label: 'full' });
    expect(await sandbox.files.read('/home/user/kept', { at: id })).toBe('kept');
    await expect(sandbox.files.write('/home/user/big', 'x'.repeat(4_000_000))).rejects.toMatchObject({
      code: 'storage-full',
    });
    expect((await sandbox.run('rm ~/filler ~/over; echo room > ~/room; sync; cat ~/room')).stdout).toBe(
      'room\n',
    );
  });

  longTest(
    'write itself says so, without an fsync, and nothing that was accepted before is lost',
    async () => {
      await using sandbox = await openSandbox({ diskMiB: 240 });
      const content = 'seq 1000000 | head -c 4M';
      const fill = await sandbox.run(`${content} > ~/accepted; cat /dev/zero > ~/over`);
      expect(fill).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No space left on device') });
      for (const command of ['head -c 1M /dev/zero >> ~/over', 'cp ~/accepted ~/copy']) {
        const { exitCode, stderr } = await sandbox.run(command);
        expect(exitCode).toBe(1);
        expect(stderr).toContain('No space left on device');
      }
      await sandbox.run('echo 3 > /proc/sys/vm/drop_caches', { user: 'root' });
      const kept = await sandbox.run(`${content} | cmp - ~/accepted`);
      expect(kept).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
      const room = await sandbox.run('rm ~/over; cp ~/accepted ~/copy && cmp ~/accepted ~/copy');
      expect(room).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
    },
  );
});
