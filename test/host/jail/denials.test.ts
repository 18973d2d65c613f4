import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isolations } from '../../../protocol/sandbox/sandbox-info.ts';
import { i386Lack } from '../runnable-image.ts';
import { probeOutside } from './build-probe.ts';
import { denials } from './denials.ts';
import { imageRoot, probePath } from './image-root.ts';
import { launcher, TestJail } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
let root: string;
let probe: string;
let jail: TestJail;
beforeAll(async () => {
  if (!isRoot) return;
  root = await imageRoot();
  probe = join(root, probePath);
  jail = await TestJail.open(root);
});
afterAll(() => jail?.[Symbol.asyncDispose]());

describe.skipIf(!isRoot).each(isolations)('a jail (%s) denies (needs root)', (isolation) => {
  let own: TestJail | undefined;
  beforeAll(async () => {
    own = isolation === 'namespace' ? jail : await TestJail.open(root, { isolation });
  });
  afterAll(async () => {
    if (own !== jail) await own?.[Symbol.asyncDispose]();
  });

  test.for(denials)('B2 $row: $what', async ({ attempt, outside, inside, ownId = inside }, { skip }) => {
    const isOwnId = isolation === 'landlock';
    if (isOwnId && typeof ownId === 'object') skip(ownId.notApplicable);
    const answers = isOwnId ? ownId : inside;
    const control = await probeOutside(probe, attempt);
    for (const user of ['user', 'root'] as const) {
      const output = (await own?.run({ command: ['coppice-probe', ...attempt], user }))?.output.trim();
      // The kernel may have no such thing at all, which then is as good: but it must not be there.
      if (control !== outside) expect(output).not.toBe('ok');
      else expect({ user, output }).toEqual({ user, output: expect.stringMatching(`^(${answers})$`) });
    }
  });
});

describe.skipIf(!isRoot)('a jail denies (needs root)', () => {
  test('B2 1: writing to the launcher through /proc', async () => {
    const digest = async () =>
      createHash('sha256')
        .update(await readFile(await launcher))
        .digest('hex');
    const before = await digest();
    const attack =
      'for exe in /proc/[0-9]*/exe; do dd if=/dev/zero of=$exe count=1 conv=notrunc; done; ls -l /proc/1/';
    const { output } = await jail.run({ command: attack, user: 'root' });
    expect(output).toMatch(/dd: failed to open '\/proc\/1\/exe': Permission denied/);
    expect(await digest()).toBe(before);
  });

  test('B2 2: descriptors of the host, as its own or as a working directory', async () => {
    const { output } = await jail.run({ command: ['ls', '/proc/self/fd'] });
    // ls itself holds a fourth, the directory.
    expect(output).toBe('0\n1\n2\n3\n');
    const links = await jail.run(
      'for fd in /proc/self/fd/*; do readlink $fd; done | grep -v -e pipe: -e /dev/null',
    );
    expect(links.output).toMatch(/^(\/proc\/\d+\/fd\n)?$/);
    const asRoot = await jail.run({ command: 'ls -l /proc/1/fd /proc/1/cwd /proc/1/root', user: 'root' });
    expect(asRoot.output).toMatch(/cannot read symbolic link '\/proc\/1\/root': Permission denied/);
    expect(asRoot.output).not.toContain('->');
    for (const fd of [3, 4, 5, 6, 7]) {
      const started = jail.run({ command: ['pwd'], cwd: `/proc/1/fd/${fd}` });
      await expect(started).rejects.toMatchObject({ message: expect.stringContaining('working directory') });
    }
  });

  test('B2 7: settings of the kernel', async () => {
    const { output } = await jail.run({
      command:
        'find /proc/sys /proc/bus /proc/irq /proc/fs -type f -exec sh -c \'for f; do (: >> "$f") 2>/dev/null && echo "$f"; done\' sh {} +',
      user: 'root',
    });
    expect(output).toBe('');
    expect(
      (await jail.run('cat /proc/kcore /proc/keys /proc/timer_list /proc/kallsyms 2>/dev/null')).output,
    ).toBe('');
    expect((await jail.run('ls -A /sys')).output).toBe('');
  });

  test('B2 49: that its init is the first to end where memory runs out; what it starts is', async () => {
    const command = 'for f in /proc/1/oom_score_adj /proc/1/task/1/oom_score_adj; do echo 1000 > $f; done';
    const { output } = await jail.run({ command, user: 'root' });
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
    const scores = await jail.run('cat /proc/1/oom_score_adj /proc/self/oom_score_adj');
    const [init = 0, other] = scores.output.trim().split('\n').map(Number);
    expect({ isFirst: init > 0, other }).toEqual({ isFirst: false, other: 500 });
  });

  test('B2 7: cores, of which a host may make a pipe to a program of its own, also to who asks for none', async () => {
    // 1 is what no handler is started for, and 0 is not: guest/launch/confine.h.
    const limits = 'tail -n +1 /proc/self/limits | grep core';
    const { output } = await jail.run(
      `exec 2>&1; ulimit -c 0 && prlimit --core=0 true && ${limits}; ulimit -c unlimited; prlimit --core`,
    );
    expect(output).toMatch(/^Max core file size +1 +1 +bytes/);
    expect(output).toMatch(
      /cannot modify limit: Operation not permitted\n.*\nCORE +max core file size +1 +1 bytes\n$/,
    );
  });

  test('B2 15: looking into init or into processes of the host', async () => {
    await using other = await TestJail.open(root);
    const victim = await other.start({ command: ['coppice-probe', 'wait'] });
    const own = await jail.start({ command: ['coppice-probe', 'wait'] });
    const control = await jail.run({ command: ['coppice-probe', 'read-memory', `${own.process.pid}`] });
    expect(control.output).toBe('ok\n');
    for (const user of ['user', 'root'] as const) {
      for (const attempt of ['ptrace', 'read-memory']) {
        const init = await jail.run({ command: ['coppice-probe', attempt, '1'], user });
        expect(init.output).toBe('EPERM\n');
        const outside = await jail.run({ command: ['coppice-probe', attempt, `${process.pid}`], user });
        expect(outside.output).toBe('ESRCH\n');
      }
    }
    await victim.process.kill();
    await own.process.kill();
  });

  test('B2 15: looking into the process of a connection to a port, in which the memory of init goes on', async () => {
    const server = await jail.start(
      `python3 -uc "import socket; s = socket.create_server(('127.0.0.1', 8100)); print('listens'); s.accept()[0].recv(1)"`,
    );
    await expect.poll(server.output).toBe('listens\n');
    const connection = await jail.client.connect(8_100);
    const { processes } = await jail.client.list();
    const relay = processes.find(({ stream, pid }) => stream !== 0 && pid !== server.process.pid);
    for (const user of ['user', 'root'] as const) {
      for (const attempt of ['ptrace', 'read-memory']) {
        const { output } = await jail.run({ command: ['coppice-probe', attempt, `${relay?.pid}`], user });
        expect(output).toBe('EPERM\n');
      }
    }
    await connection.close();
    await server.done;
  });

  test('B2 16: abstract sockets of the host', async () => {
    const name = `coppice-canary-${process.pid}`;
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
    try {
      expect(await probeOutside(probe, ['abstract', name])).toBe('ok');
      const { output } = await jail.run({ command: ['coppice-probe', 'abstract', name] });
      expect(output).toBe('ECONNREFUSED\n');
    } finally {
      server.close();
    }
  });

  test('B2 17: sockets of the host by their path', async () => {
    const { output } = await jail.run({
      command: 'find / -xdev -type s 2>/dev/null; find /run /dev /tmp -type s',
      user: 'root',
    });
    expect(output).toBe('');
  });

  test('B2 21: capabilities: the user has none, root those over ids of the jail, and no more can be had', async () => {
    const none = '0000000000000000';
    // chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service: linux/capability.h.
    for (const [user, has] of [
      ['user', none],
      ['root', '00000000000004fb'],
    ] as const) {
      const { output } = await jail.run({
        command: 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status',
        user,
      });
      expect(output.replaceAll('\t', ' ')).toBe(
        `CapInh: ${has}\nCapPrm: ${has}\nCapEff: ${has}\nCapBnd: ${none}\nCapAmb: ${none}\nNoNewPrivs: 1\nSeccomp: 2\n`,
      );
    }
  });

  test('B2 22: devices of the image, and set-user-ID programs', async () => {
    const { output } = await jail.run(
      'find / -xdev \\( -type b -o -type c \\) 2>/dev/null; ls /dev; cut -d" " -f2,4 /proc/mounts | grep -v nosuid',
    );
    expect(output).toBe(
      'fd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n',
    );
    const { output: told, exit } = await jail.run('su -c id </dev/null; sudo -n id');
    expect({ told, code: exit.exitCode }).toEqual({
      told: expect.stringContaining("Run the command as root from outside:\nuser: 'root'"),
      code: 1,
    });
  });

  test('its uids to be the host’s root', async () => {
    const { output } = await jail.run('cat /proc/self/uid_map /proc/self/gid_map');
    for (const line of output.trim().split('\n')) {
      const [inside, outside, count] = line.trim().split(/\s+/).map(Number);
      expect({ inside, count }).toEqual({ inside: 0, count: 65536 });
      expect(outside).toBeGreaterThanOrEqual(0x80000);
    }
  });

  test.skipIf(i386Lack)(
    `B2 11 12 13 14 18 20: the same to programs for i386, whose calls have other numbers${i386Lack ? ` (not here: ${i386Lack})` : ''}`,
    async () => {
      // unshare, keyctl, bpf, io_uring_setup, mount, socketcall with arguments that lie nowhere, setrlimit of cores, statmount, and
      // calls that no kernel has.
      const script =
        'for my $c ([310, 0x10000000], [288, 0, -3, 1], [357, 0, 0, 0], [425, 1, 0], [21, 0, 0, 0, 0, 0], [102, 1, 0], [75, 4, pack("LL", 0, 0)], [75, 4, pack("LL", 2, 2)], [457, 0, 0], [17], [999]) { my ($n, @a) = @$c; $! = 0; syscall($n, @a); print $! + 0, " " }';
      const { output } = await jail.run({ command: ['perl', '-e', script] });
      expect(output).toBe('1 1 1 38 1 14 0 1 38 38 38 ');
    },
  );
});
