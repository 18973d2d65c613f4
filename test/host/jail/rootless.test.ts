import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RootMount } from '../../../bridge-server/contract.ts';
import { inRepository } from '../../../host/repository.ts';
import { buildProbe } from './build-probe.ts';
import { launcher } from './test-jail.ts';

/** Debian's `nobody`. */
const uid = 65534;
const isRoot = process.geteuid?.() === 0;
const asUser = isRoot ? { uid, gid: uid } : {};
const script = fileURLToPath(new URL('./run-rootless.ts', import.meta.url));
const ownIdRoots = inRepository('bridge-server/runtimes/jail/own-id-roots.ts');
const chooser = inRepository('bridge-server/runtimes/jail/choose-isolation.ts');
const execute = promisify(execFile);

let folder: string;
let reason: string | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-rootless-'));
  await execute('chmod', ['755', folder]);
  // Where the user can reach it.
  await copyFile(await launcher, join(folder, 'launcher'));
  for (const name of ['upper', 'work', 'root/usr/bin', 'root/tmp', 'lower/usr/bin', 'lower/tmp'])
    await mkdir(join(folder, name), { recursive: true });
  for (const name of ['root', 'lower']) await buildProbe(join(folder, name, 'usr/bin/coppice-probe'));
  if (isRoot)
    await execute('chown', [
      '-R',
      `${uid}:${uid}`,
      ...['upper', 'work', 'root', 'lower'].map((one) => join(folder, one)),
    ]);
  reason = await whatUserLacks();
});
afterAll(() => rm(folder, { recursive: true }));

/** Why an ordinary user cannot have a jail, or this test's script in it: found out by trying. */
async function whatUserLacks(): Promise<string | undefined> {
  try {
    // Distributions forbid user namespaces to users by several means.
    await execute('unshare', ['-U', '-r', 'true'], asUser);
    // A checkout below a private home, such as root's, is not theirs to read.
    await execute(process.execPath, ['--check', script], { ...asUser, env: {} });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

interface Request {
  readonly root: RootMount;
  readonly nested?: boolean;
  readonly meet?: string;
  readonly network?: string;
}

async function runRootless(request: Request, commands: readonly string[]): Promise<string[]> {
  const args = [script, join(folder, 'launcher'), JSON.stringify(request), ...commands];
  const { stdout } = await execute(process.execPath, args, { ...asUser, env: {} });
  return JSON.parse(stdout) as string[];
}

const attempts = [
  'coppice-probe mount-tmpfs',
  'coppice-probe unshare-user',
  'coppice-probe socket 16',
  'coppice-probe io-uring',
  'coppice-probe inject sti',
  'coppice-probe ptrace 1',
  'coppice-probe open /proc/1/exe',
  'coppice-probe open /proc/sys/kernel/core_pattern',
];
const answers = ['EPERM', 'EPERM', 'EAFNOSUPPORT', 'ENOSYS', 'EPERM', 'EPERM', 'EACCES', 'EACCES'];

/** Of Landlock, where there is one, as it is asked first. */
const deviceDenial = expect.stringMatching(/^(EACCES|EPERM)$/);

describe('a jail of an ordinary user', () => {
  test('B2 1 7 8 10 12 14 15 18 20: denies the same on a folder', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const root = { type: 'bind', path: join(folder, 'root') } as const;
    expect(await runRootless({ root }, [...attempts, 'coppice-probe node block'])).toEqual([
      ...answers,
      deviceDenial,
    ]);
  });

  test('O-1 B2 15: outlives its bridge for another of its user', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const root = { type: 'bind', path: join(folder, 'root') } as const;
    const meet = join(folder, 'work', 'meeting');
    expect(await runRootless({ root, meet }, attempts)).toEqual(answers);
  });

  test('S-8: has a network by which the bridge answers, and denies the same', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const root = { type: 'bind', path: join(folder, 'root') } as const;
    const network = join(folder, 'work', 'network');
    // It does not start where nobody answers.
    expect(await runRootless({ root, network }, attempts)).toEqual(answers);
  });

  test('has an overlay that needs no privileges', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const [lower, upper, work] = ['lower', 'upper', 'work'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const root = { type: 'overlay', lower: [lower], upper, work, userxattr: true } as const;
    expect(await runRootless({ root }, [...attempts, 'coppice-probe node block'])).toEqual([
      ...answers,
      deviceDenial,
    ]);
    expect((await readdir(upper)).sort()).toEqual(['dev', 'proc', 'run', 'sys']);
  });

  test('B2 12: allows user namespaces where others may nest, and denies the rest', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const root = { type: 'bind', path: join(folder, 'root') } as const;
    const allowed = 'coppice-probe unshare-user';
    const nestedAnswers = attempts.map((attempt, index) => (attempt === allowed ? 'ok' : answers[index]));
    expect(await runRootless({ root, nested: true }, attempts)).toEqual(nestedAnswers);
  });

  test('S-5 H-10: has no jails without namespaces, and is told why', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const program = `const { OwnIdRoots } = await import(${JSON.stringify(ownIdRoots)});
try { new OwnIdRoots('launcher') } catch ({ code, message }) { console.log(code + ': ' + message) }`;
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', program], asUser);
    expect(stdout).toBe(
      'unsupported: Cannot run jails without namespaces: an ordinary user can change neither its root nor its id\n',
    );
  });

  test('S-5: a host whose user namespaces are used up is not taken for a full disk', async ({ skip }) => {
    skip(reason !== undefined, `an ordinary user here: ${reason}`);
    const options = JSON.stringify({ launcher: join(folder, 'launcher'), folder: join(folder, 'work') });
    const program = `const { chooseIsolation } = await import(${JSON.stringify(chooser)});
await chooseIsolation('auto', ${options}).catch(({ code, message }) => console.log(code + ': ' + message)); process.exit()`;
    const none = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"';
    const inside = ['sh', '-c', none, process.execPath, '--input-type=module', '--eval', program];
    const { stdout } = await execute('unshare', ['-U', '-r', ...inside], { ...asUser, env: process.env });
    expect(stdout).toMatch(/^unsupported: .*: no namespace: .*No space left on device; no landlock: /);
  });

  test.skipIf(!isRoot)('does not start where its user could be the host’s root (needs root)', async () => {
    const request = JSON.stringify({ root: { type: 'bind', path: join(folder, 'root') } });
    const inside = ['--user', '--map-root-user', process.execPath, script, join(folder, 'launcher'), request];
    await expect(execute('unshare', inside, { env: {} })).rejects.toMatchObject({
      stderr: expect.stringContaining("Cannot start the jail: its root could be the host's"),
    });
  });
});
