import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../guest/init/test/agent.ts';
import { i386Lack } from '../runnable-image.ts';
import { whatOwnIdLacks } from '../what-jails-lack.ts';
import { probeOutside } from './build-probe.ts';
import { imageRoot, probePath } from './image-root.ts';
import { controlGroupsNamed, processesOf } from './leftovers.ts';
import { launcher, TestJail } from './test-jail.ts';

const execute = promisify(execFile);
const lack = await whatOwnIdLacks();
let root: string;
let probe: string;
let jail: TestJail;
beforeAll(async () => {
  if (lack) return;
  root = await imageRoot();
  probe = join(root, probePath);
  jail = await TestJail.open(root, { isolation: 'landlock' });
});
afterAll(() => jail?.[Symbol.asyncDispose]());

const ownIdOf = ({ spec }: TestJail): number => (spec.root.type === 'bind' && spec.root.ownId) || 0;

const probed = async (...attempt: string[]): Promise<string> =>
  (await jail.run({ command: ['coppice-probe', ...attempt] })).output.trim();

describe.skipIf(lack)(`a jail without namespaces${lack ? ` (not here: ${lack})` : ''}`, () => {
  test.each([
    ['8 changing its root', ['change-root', '/'], 'EPERM'],
    ['the host’s root', ['become-root'], 'EPERM'],
    ['sockets of the internet', ['socket', '2'], 'EAFNOSUPPORT'],
    ['sockets of IPv6', ['socket', '10'], 'EAFNOSUPPORT'],
    ['shared memory of the host', ['shared-memory'], 'ENOSYS'],
    ['message queues of the host', ['message-queue'], 'ENOSYS'],
    ['15 signals for processes of the host', ['signal', `${process.pid}`], 'EPERM'],
    ['15 looking into processes of the host', ['ptrace', `${process.pid}`], 'EPERM'],
    ['15 memory of processes of the host', ['read-memory', `${process.pid}`], 'EPERM|EFAULT'],
  ])('S-5 B2 denies %s', async (_, attempt, expected) => {
    expect(['ok', 'EPROTONOSUPPORT', 'ESOCKTNOSUPPORT', 'EFAULT']).toContain(
      await probeOutside(probe, attempt),
    );
    expect(await probed(...attempt)).toMatch(new RegExp(`^(${expected})$`));
  });

  test('S-5 has no files but its own: not by a path, not by way of its root, nor by a descriptor', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-canary-'));
    await writeFile(join(folder, 'canary'), 'of the host');
    try {
      expect(await probeOutside(probe, ['read', join(folder, 'canary')])).toBe('ok');
      for (const path of [join(folder, 'canary'), join('/../../..', folder, 'canary')]) {
        expect(await probed('read', path)).toBe('ENOENT');
      }
      expect(await probed('descriptors')).toBe('EBADF');
      expect((await jail.run('ls -A /proc /sys; ls /dev')).output).toBe(
        '/proc:\n\n/sys:\nfull\nnull\nrandom\nshm\ntty\nurandom\nzero\n',
      );
      for (const path of ['/dev/null', '/dev/urandom', '/dev/shm']) {
        expect((await jail.run(`rm -rf ${path}; ls -d ${path}`)).output).toContain(`${path}\n`);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('S-5 B2 10: puts nothing into the input of a terminal that it is given', async () => {
    for (const kind of ['sti', 'linux']) {
      const pty = { columns: 80, rows: 24 };
      const { output } = await jail.run({ command: ['coppice-probe', 'inject-own', kind], pty });
      expect(output).toBe('EPERM\r\n');
    }
  });

  test('S-5 B2 16: reaches no abstract sockets of the host, and has its own', async ({ skip }) => {
    skip(jail.jail.landlockAbi < 6, 'a kernel that does not tell them apart: there are no sockets at all');
    const name = `coppice-canary-${process.pid}`;
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
    try {
      expect(await probeOutside(probe, ['abstract', name])).toBe('ok');
      expect(await probed('abstract', name)).toBe('EPERM');
    } finally {
      server.close();
    }
    const script = `use Socket; my $at = sockaddr_un("\\0own");
socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, $at) or die $!; listen(S, 1); socket(C, PF_UNIX, SOCK_STREAM, 0); print connect(C, $at)`;
    expect((await jail.run({ command: ['perl', '-e', script] })).output).toBe('1');
  });

  test.skipIf(i386Lack)(
    `S-5 the same to programs for i386, whose calls have other numbers${i386Lack ? ` (not here: ${i386Lack})` : ''}`,
    async () => {
      // ipc, shmget, mq_open, unshare, mount, chroot, setresuid to root, and socketcall for an internet socket.
      const script = `for my $c ([117, 0], [395, 0, 1, 0], [277, 0], [310, 0x10000000], [21, 0, 0, 0, 0, 0], [61, "/"], [208, 0, 0, 0]) {
  my ($n, @a) = @$c; $! = 0; syscall($n, @a); print $! + 0, " " }
use Socket; $! = 0; socket(S, PF_INET, SOCK_STREAM, 0); print $! + 0;`;
      expect((await jail.run({ command: ['perl', '-e', script] })).output).toBe('38 38 38 1 1 1 1 97');
    },
  );

  test('S-5 B2 15: two of them have nothing to do with each other', async () => {
    await using other = await TestJail.open(root, { isolation: 'landlock' });
    const victim = await other.start({ command: ['coppice-probe', 'wait'] });
    const [theirs] = await processesOf(ownIdOf(other));
    const pid = theirs?.split(' ')[0] ?? '';
    expect(ownIdOf(other)).not.toBe(ownIdOf(jail));
    for (const attempt of ['ptrace', 'signal']) expect(await probed(attempt, pid)).toBe('EPERM');
    expect(await probeOutside(probe, ['signal', pid])).toBe('ok');
    await using mortal = await TestJail.open(root, { isolation: 'landlock' });
    await mortal.run('kill -9 -1').catch(() => undefined);
    await mortal.jail.ended;
    expect(await processesOf(ownIdOf(mortal))).toEqual([]);
    expect((await processesOf(ownIdOf(other))).length).toBeGreaterThan(1);
    await victim.process.kill();
  });

  test('I-6 H-8 ends with all that it started, in sessions and groups of their own too', async () => {
    const doomed = await TestJail.open(root, { isolation: 'landlock' });
    const id = ownIdOf(doomed);
    await doomed.run('(setsid sleep 1000 &); (setsid sh -c "sleep 1000 & sleep 1000" &); sleep 1000 &');
    await until(async () => (await processesOf(id)).length >= 5);
    await doomed[Symbol.asyncDispose]();
    expect(await processesOf(id)).toEqual([]);
    expect(await controlGroupsNamed(doomed.spec.cgroup)).toEqual([]);
  });

  test('H-8 a command that is killed takes its process group along, and orphans are reaped', async () => {
    const before = (await processesOf(ownIdOf(jail))).length;
    const command = await jail.start('sleep 1000 & sleep 1000');
    await until(async () => (await processesOf(ownIdOf(jail))).length >= before + 2);
    await command.process.kill();
    await command.done;
    await jail.run('(sleep 0.01 &)');
    await until(async () => (await processesOf(ownIdOf(jail))).length === before);
    expect((await processesOf(ownIdOf(jail))).filter((line) => line.endsWith('Z'))).toEqual([]);
  });

  test('H-8 leaves nothing when its launcher is killed', async () => {
    const doomed = await TestJail.open(root, { isolation: 'landlock' });
    const id = ownIdOf(doomed);
    await doomed.run('(setsid sleep 1000 &)');
    const [agent] = await processesOf(id);
    const status = await readFile(`/proc/${agent?.split(' ')[0]}/status`, 'utf8');
    process.kill(Number(/^PPid:\t(\d+)/m.exec(status)?.[1]), 'SIGKILL');
    await doomed[Symbol.asyncDispose]();
    expect(await processesOf(id)).toEqual([]);
  });

  test('B2 9: has no more processes than it may', async () => {
    const script =
      'for (1 .. 300) { my $pid = fork; last unless defined $pid; unless ($pid) { sleep 60; exit } push @all, $pid } print scalar @all; kill 9, @all';
    const { output } = await jail.run({ command: ['perl', '-e', script] });
    expect(Number(output)).toBeGreaterThan(64);
    expect(Number(output)).toBeLessThan(128);
  });

  test('S-5 does not start on an id that something else has, or on a root of another', async () => {
    const id = ownIdOf(jail);
    const stranger: ChildProcess = spawn('sleep', ['1000'], { uid: id + 1, gid: id + 1, stdio: 'ignore' });
    try {
      const taken = execute(await launcher, ['--clear', `${id + 1}`]);
      await expect(taken).resolves.toMatchObject({ stdout: '' });
      await until(async () => stranger.signalCode === 'SIGKILL');
      expect(await processesOf(id + 1)).toEqual([]);
    } finally {
      stranger.kill('SIGKILL');
    }
    const clash = TestJail.open(root, { root: { ...jail.spec.root, ownId: id } as never });
    await expect(clash).rejects.toMatchObject({
      message: 'Cannot start the jail: other processes have its id',
    });
    const foreign = TestJail.open(root, { root: { type: 'bind', path: root, ownId: id + 2 } });
    await expect(foreign).rejects.toMatchObject({
      message: 'Cannot start the jail: its root was furnished for another id',
    });
  });
});
