import { execFile } from 'node:child_process';
import { access, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeOutside } from './build-probe.ts';
import { copyImageRoot, probePath } from './image-root.ts';
import { TestJail } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
const execute = promisify(execFile);
const bubblewrap = '/usr/bin/bwrap';

let root: Awaited<ReturnType<typeof copyImageRoot>>;
let probe: string;
let jail: TestJail;
beforeAll(async () => {
  if (!isRoot) return;
  root = await copyImageRoot();
  probe = join(root.path, probePath);
  jail = await TestJail.open(root.path, { nested: true });
});
afterAll(async () => {
  await jail?.[Symbol.asyncDispose]();
  await root?.[Symbol.asyncDispose]();
});

/** As root of a user namespace inside, with all that a program there can have of its own. */
const inside = (script: string) =>
  `unshare --user --map-root-user --mount --pid --fork --mount-proc --ipc --uts --cgroup sh -c '${script}' 2>&1`;

const says = async (command: string, user: 'user' | 'root' = 'user'): Promise<string> =>
  (await jail.run({ command, user })).output.trim();

describe.skipIf(!isRoot)('a jail that may nest others (needs root)', () => {
  test('O-1: lets a user be root of namespaces of its own, and mount in them', async () => {
    expect(await says('unshare -r id -u')).toBe('0');
    const mounts =
      'echo $$; mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w /mnt/m && mount -t overlay o -o lowerdir=/usr/share,upperdir=/mnt/u,workdir=/mnt/w /mnt/m && echo new > /mnt/m/new && cat /mnt/m/new; ls -d /proc/[0-9]* | wc -l';
    expect(await says(inside(mounts))).toMatch(/^1\nnew\n\d$/);
  });

  test('O-1: runs bubblewrap', async ({ skip }) => {
    const { stdout } = await execute('ldd', [bubblewrap]).catch(() => ({ stdout: '' }));
    skip(stdout === '', `the host has no ${bubblewrap}`);
    const files = [bubblewrap, ...[...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)];
    for (const path of files) await copyInto(path);
    const options =
      '--unshare-all --share-net --die-with-parent --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp';
    expect(await says(`bwrap ${options} sh -c 'echo $$ > /tmp/x; cat /tmp/x; touch /x' 2>&1`)).toMatch(
      /^2\ntouch: .*Read-only file system$/,
    );
  });

  test.each<[number, string[], string, string?]>([
    [7, ['open', '/proc/sys/kernel/core_pattern'], 'EACCES'],
    [7, ['open', '/proc/sys/vm/swappiness'], 'EACCES'],
    [7, ['open', '/proc/sysrq-trigger'], 'EACCES'],
    [10, ['inject', 'sti'], 'EPERM'],
    [11, ['keyctl'], 'EPERM'],
    [13, ['bpf'], 'EPERM'],
    [13, ['perf'], 'EPERM'],
    [13, ['userfaultfd'], 'EPERM'],
    [14, ['io-uring'], 'ENOSYS'],
    [18, ['socket', '16'], 'EAFNOSUPPORT'],
    [18, ['socket', '17'], 'EAFNOSUPPORT'],
    [20, ['clone3'], 'ENOSYS', 'EINVAL'],
    [22, ['node', 'block'], 'EPERM'],
    [22, ['node', 'character'], 'EPERM'],
  ])('B2 %i: denies %j also to a root inside', async (_row, attempt, answer, outside = 'ok') => {
    const control = await probeOutside(probe, attempt);
    // On a proc of its own, without the masks of the jail's.
    const output = await says(inside(`coppice-probe ${attempt.join(' ')}`));
    // The kernel may have no such thing at all.
    if (control !== outside) expect(output).not.toBe('ok');
    else expect(output).toBe(answer);
  });

  test('B2 8 9: has no control group that it could write to, and no release agent', async () => {
    const types = ['-t cgroup -o memory', '-t cgroup -o pids', '-t cgroup2'];
    for (const type of types) {
      const look = `mount ${type} none /mnt && find /mnt -writable; mkdir /mnt/more && echo made`;
      expect(await says(inside(look))).not.toMatch(/^\/mnt|made/m);
    }
    const agent = 'mount -t cgroup -o memory,release_agent=/bin/sh none /mnt && echo mounted';
    expect(await says(inside(agent))).not.toContain('mounted');
  });

  test('B2 7: keeps what the jail has mounted over others', async () => {
    const lift =
      'for p in /proc/sys /proc/keys /sys /dev; do umount $p && echo lifted; mount -o remount,rw,bind $p && echo writable; done';
    expect(await says(`unshare -rm sh -c '${lift}' 2>&1`)).not.toMatch(/lifted|writable/);
    expect(await says('unshare -rm ls -A /sys')).toBe('');
    expect(await says(inside('mount -t sysfs none /mnt && echo mounted'))).not.toContain('mounted');
  });

  test('B2 15: has no power over init, which is no part of what is inside', async () => {
    expect(await says('unshare -r coppice-probe ptrace 1')).toBe('EPERM');
    expect(await says('unshare -r kill -9 1 2>/dev/null; echo here')).toBe('here');
    expect(await says('nsenter -t 1 -m true 2>&1 || echo no', 'root')).toMatch(/no$/);
  });

  test('B2 20: has no network namespaces, in which packet filters would be its own', async () => {
    expect(await says('unshare -r --net true 2>&1')).toMatch(/unshare failed: Operation not permitted$/);
    expect(await says('coppice-probe clone-network')).toBe('EPERM');
  });

  test('still has nothing of it without a user namespace first', async () => {
    for (const attempt of ['mount-tmpfs', 'mount-overlay', 'fsopen']) {
      expect(await says(`coppice-probe ${attempt}`, 'root')).toBe('EPERM');
    }
  });
});

/** A file of the host at its path in the root. */
async function copyInto(path: string): Promise<void> {
  const to = join(root.path, path);
  await mkdir(dirname(to), { recursive: true });
  await access(to).catch(() => copyFile(path, to));
}
