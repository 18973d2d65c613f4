import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeOutside } from './build-probe.ts';
import { imageRoot, probePath } from './image-root.ts';
import { TestJail } from './test-jail.ts';

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

const lacksAbi = (abi: number) =>
  [jail.jail.landlockAbi < abi, `version ${abi} of Landlock, which this kernel lacks`] as const;

const attempt = async (...command: string[]): Promise<string> =>
  (await jail.run({ command: ['coppice-probe', ...command], user: 'root' })).output.trim();

describe.skipIf(!isRoot)('behind its other walls, a jail (needs root)', () => {
  test('B2 22: cannot make the one device that needs no privilege', async ({ skip }) => {
    skip(...lacksAbi(2));
    expect(await probeOutside(probe, ['whiteout', '/tmp'])).toBe('ok');
    // An overlay refuses it itself, a tmpfs does not.
    for (const folder of ['/run', '/dev/shm']) expect(await attempt('whiteout', folder)).toBe('EACCES');
  });

  test('B2 22: asks nothing of a device that is not in /dev', async ({ skip }) => {
    skip(...lacksAbi(5));
    // What masks it is /dev/null under another name.
    expect(await attempt('ioctl', '/proc/keys')).toBe('EACCES');
    expect(await attempt('ioctl', '/dev/null')).toBe('ENOTTY');
    expect(await probeOutside(probe, ['ioctl', '/dev/null'])).toBe('ENOTTY');
  });

  test('moves and links files between directories as ever', async () => {
    const { output } = await jail.run({
      command: [
        'perl',
        '-e',
        'mkdir "a"; mkdir "b"; open F, ">a/x"; rename("a/x", "b/x") or die $!; link("b/x", "a/x") or die $!; print -s "a/x", (stat "a/x")[3]',
      ],
    });
    expect(output).toBe('02');
  });

  test('B2 16: has abstract sockets and signals among its own processes, also of i386', async () => {
    const script = `use Socket; my $at = sockaddr_un("\\0own");
socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, $at) or die $!; listen(S, 1);
unless (my $pid = fork) { socket(C, PF_UNIX, SOCK_STREAM, 0); connect(C, $at) or die $!; syswrite(C, "$$\\n"); sleep 60; exit }
accept(A, S); my $pid = <A>; print kill("TERM", $pid), wait() == $pid, $? & 127;`;
    expect((await jail.run({ command: ['perl', '-e', script] })).output).toBe('1115');
  });

  test('lets a program wall itself in further', async ({ skip }) => {
    skip(...lacksAbi(2));
    // landlock_create_ruleset(2), which both architectures have under one number, for its version.
    const { output } = await jail.run({ command: ['perl', '-e', 'print syscall(444, 0, 0, 1)'] });
    expect(Number(output)).toBe(jail.jail.landlockAbi);
  });
});
