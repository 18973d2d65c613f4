import { mkdtemp, readFile, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runHostTool } from '../../bridge-server/programs/host-tool.ts';
import { startJail } from '../../bridge-server/runtimes/jail/start-jail.ts';
import { until } from '../../guest/init/test/agent.ts';
import { copyImageRoot, imageRoot } from './jail/image-root.ts';
import { controlGroupsNamed, mountedIn, processesWith, stageMounts } from './jail/leftovers.ts';
import { launcher, TestJail } from './jail/test-jail.ts';
import { i386Lack } from './runnable-image.ts';

const isRoot = process.geteuid?.() === 0;
let root: string;
beforeAll(async () => {
  if (isRoot) root = await imageRoot();
});

describe.skipIf(!isRoot)('a jail (needs root: id ranges and control groups)', () => {
  test('runs commands as the user of its image, at home, or as a root of its files', async () => {
    await using jail = await TestJail.open(root);
    const { output, exit } = await jail.run('id -un; pwd; hostname; echo no >&2; exit 3');
    expect({ output, code: exit.exitCode }).toEqual({ output: 'user\n/home/user\nbox\nno\n', code: 3 });
    const asRoot = await jail.run({
      command: 'id -u; touch /root/file && stat -c %u /root/file',
      user: 'root',
    });
    expect(asRoot.output).toBe('0\n0\n');
    expect((await jail.run({ command: ['true'] })).exit.exitCode).toBe(0);
  });

  test('writes what it changes to the upper layer with the owners that it sees', async () => {
    await using jail = await TestJail.open(root);
    expect((await jail.run('echo text > file; rm .profile; mkdir d')).exit.exitCode).toBe(0);
    await jail.client.sync();
    const { root: mount } = jail.spec;
    if (mount.type !== 'overlay') throw new Error('not an overlay');
    expect(await readFile(`${mount.upper}/home/user/file`, 'utf8')).toBe('text\n');
    const { output } = await jail.run('stat -c "%u %g" file d');
    expect(output).toBe('1000 1000\n1000 1000\n');
  });

  test('O-7 what an operator unmounts is free while a jail runs', async () => {
    const mounted = await mkdtemp(join(tmpdir(), 'coppice-operator-'));
    await runHostTool('mount', ['-t', 'tmpfs', 'operator', mounted]);
    onTestFinished(async () => {
      await runHostTool('umount', [mounted]).catch(() => undefined);
      await rmdir(mounted);
    });
    await using jail = await TestJail.open(root);
    await runHostTool('umount', [mounted]);
    expect(await mountedIn(mounted)).toEqual([]);
    expect((await jail.run('echo up')).output).toBe('up\n');
  });

  test('has a folder as its root where it is told to', async () => {
    await using copy = await copyImageRoot();
    await using jail = await TestJail.open(root, { root: { type: 'bind', path: copy.path } });
    expect((await jail.run('echo $$ > /tmp/bound; cat /proc/mounts | head -n 1')).output).toMatch(
      / \/ ext4 .*nosuid,nodev/,
    );
    expect(await readFile(`${copy.path}/tmp/bound`, 'utf8')).toMatch(/^\d+\n$/);
  });

  test('gives a terminal that belongs to the user', async () => {
    await using jail = await TestJail.open(root);
    const { output, done, process } = await jail.start({
      command: ['sh'],
      pty: { columns: 100, rows: 30 },
    });
    await process.write(Buffer.from('stat -c "%U %a" $(tty); stty size; exit 5\n'));
    expect((await done).exit.exitCode).toBe(5);
    expect(output()).toMatch(/user 620\r\n30 100\r\n/);
  });

  test.skipIf(i386Lack)(
    `has programs for i386 with sockets of the usual families${i386Lack ? ` (not here: ${i386Lack})` : ''}`,
    async () => {
      await using jail = await TestJail.open(root);
      const script =
        'use Socket; socket(my $l, PF_INET, SOCK_STREAM, 0) or die "socket $!";' +
        'bind($l, sockaddr_in(0, INADDR_LOOPBACK)) or die "bind $!"; listen($l, 1);' +
        'socket(my $c, PF_INET, SOCK_STREAM, 0); connect($c, getsockname($l)) or die "connect $!";' +
        'accept(my $a, $l); syswrite($c, "hello\\n"); print scalar(<$a>);' +
        'socket(my $u, PF_UNIX, SOCK_STREAM, 0) or die; socket(my $n, 16, SOCK_RAW, 0) or print "netlink: $!\\n";';
      const { output } = await jail.run({ command: ['perl', '-e', script] });
      expect(output).toBe('hello\nnetlink: Address family not supported by protocol\n');
    },
  );

  test('reports a process that needs too much memory as such, and lives', async () => {
    await using jail = await TestJail.open(root, { limits: { memoryMiB: 48 } });
    const { exit } = await jail.run({
      command: ['perl', '-e', 'my $x = "x" x (200 << 20); print length $x'],
    });
    expect(exit).toMatchObject({ signal: 'SIGKILL', reason: 'signalled' });
    expect(jail.jail.outOfMemoryKills()).toBe(1);
    expect((await jail.run('echo alive')).output).toBe('alive\n');
  });

  test.each(['memory-file', 'pipes', 'sockets', 'messages'])(
    'S-6 goes on when memory that is no process’s is full: %s',
    async (what) => {
      await using jail = await TestJail.open(root, { limits: { memoryMiB: 48 } });
      const fill = { command: ['coppice-probe', 'fill', what] };
      const fillers = await Promise.all([1, 2, 3, 4, 5].map(() => jail.start(fill)));
      for (const { done } of fillers) {
        const { exit } = await done;
        expect(exit.reason).not.toBe('machine-failed');
      }
      expect((await jail.run('echo alive')).output).toBe('alive\n');
    },
  );

  test('S-6 has a bound of what stays when its processes have ended', async () => {
    await using jail = await TestJail.open(root, { limits: { memoryMiB: 64 } });
    const { output } = await jail.run(
      'cd /proc/sys/kernel; cat shmall msgmni sem; df --output=itotal /dev/shm /run',
    );
    expect(output.split(/\s+/)).toEqual([
      ...['2048', '5', '32000', '32768', '500', '4096'],
      ...['Inodes', '4097', '4097', ''],
    ]);
  });

  test('whose folders in memory are full goes on', async () => {
    await using jail = await TestJail.open(root, { limits: { memoryMiB: 24 } });
    const fill = 'cat /dev/zero > /dev/shm/full; cat /dev/zero > /run/full';
    const { output } = await jail.run({ command: fill, user: 'root' });
    expect(output.match(/No space left on device/g)).toHaveLength(2);
    expect((await jail.run('echo alive')).output).toBe('alive\n');
  });

  test('has nothing of the host to be fooled with where its init looks', async () => {
    await using jail = await TestJail.open(root);
    const { output } = await jail.run({ command: 'rm /dev/null; mkfifo /dev/x', user: 'root' });
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
  });

  test('holds a fork bomb to its limit of processes (B2 9)', async () => {
    await using jail = await TestJail.open(root, { limits: { pids: 20 } });
    const bomb = 'for (;;) { my $pid = fork; defined $pid or die "$!"; $pid or sleep(100), exit }';
    const { output } = await jail.run({ command: ['perl', '-e', bomb] });
    expect(output).toMatch(/^Resource temporarily unavailable/);
    await jail.client.ping();
  });

  test('stands still while it is frozen, and goes on where it was', async () => {
    await using jail = await TestJail.open(root);
    const { output } = await jail.start(`while :; do echo tick-${process.pid}; sleep 0.01; done`);
    await until(() => output().includes('tick'));
    await jail.jail.freeze();
    const pids = await processesWith(`while :; do echo tick-${process.pid}`);
    // D, disk sleep, is how version 1 of the freezer shows.
    for (const pid of pids) expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) [DT] /);
    // The shell, and it once more where it was just about to become a sleep.
    expect(pids.length).toBeGreaterThan(0);
    await jail.jail.thaw();
    const { length } = output();
    await until(() => output().length > length);
  });

  test.each([
    ['disposed of', (jail: TestJail) => jail.jail[Symbol.asyncDispose](), 'The jail was closed'],
    ['whose launcher is killed', killLauncher, 'The jail was killed'],
    [
      'whose launcher is killed while it is frozen',
      async (jail: TestJail) => {
        await jail.jail.freeze();
        await killLauncher(jail);
      },
      'The jail was killed',
    ],
  ])('%s leaves no process, no mount and no control group behind', async (_, end, message) => {
    const mounts = await stageMounts();
    // Nobody else on this machine sleeps so long.
    const own = ['sleep', `${process.pid}98765`];
    await using jail = await TestJail.open(root);
    const { output } = await jail.start(`setsid ${own.join(' ')} & echo $$`);
    await until(() => output() !== '');
    await until(async () => (await processesWith(own.join('\u{0}'))).length === 1);
    expect(await controlGroupsNamed(jail.spec.cgroup)).not.toEqual([]);
    await end(jail);
    expect(await jail.jail.ended).toEqual({ reason: 'killed', message });
    expect(await processesWith(own.join('\u{0}'))).toEqual([]);
    expect(await controlGroupsNamed(jail.spec.cgroup)).toEqual([]);
    expect(await stageMounts()).toEqual(mounts);
  });

  test('ends by itself when it is told to shut down', async () => {
    await using jail = await TestJail.open(root);
    await jail.client.shutdown({ graceMs: 100 });
    expect(await jail.jail.ended).toEqual({ reason: 'exited', message: 'The jail has ended (0)' });
  });

  test('that is not wanted any more is never started (H-8)', async () => {
    await using jail = await TestJail.open(root);
    const spec = { ...jail.spec, cgroup: `${jail.spec.cgroup}-unwanted` };
    const options = { launcher: await launcher, signal: AbortSignal.abort() };
    await expect(startJail(spec, options)).rejects.toMatchObject({ code: 'aborted' });
    const controller = new AbortController();
    const starting = startJail(spec, { launcher: await launcher, signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(starting).rejects.toMatchObject({ code: 'aborted' });
    expect(await controlGroupsNamed(spec.cgroup)).toEqual([]);
  });

  test('cannot have the control group of another', async () => {
    await using jail = await TestJail.open(root);
    const starting = startJail(jail.spec, { launcher: await launcher });
    await expect(starting).rejects.toMatchObject({ code: 'already-exists' });
    expect((await jail.run('echo alive')).output).toBe('alive\n');
  });
});

/** As the kernel or an operator would; the launcher is the parent of the jail's PID 1. */
async function killLauncher(jail: TestJail): Promise<void> {
  const [group] = (await controlGroupsNamed(jail.spec.cgroup)).sort();
  const pids = (await readFile(`${group}/cgroup.procs`, 'utf8')).split('\n').filter(Boolean).map(Number);
  const status = await readFile(`/proc/${Math.min(...pids)}/status`, 'utf8');
  process.kill(Number(/PPid:\s+(\d+)/.exec(status)?.[1]), 'SIGKILL');
}
