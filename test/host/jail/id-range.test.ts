import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasJailIds } from '../../../bridge-server/privileges.ts';
import { inRepository } from '../../../host/repository.ts';
import { range, uid, userArguments } from '../as-user.ts';
import { rootPrograms } from '../roots/root-programs.ts';
import { buildProbe } from './build-probe.ts';
import { launcher } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
const script = fileURLToPath(new URL('./run-in-range.ts', import.meta.url));
const module = inRepository('bridge-server/main/id-range.ts');
const execute = promisify(execFile);

let folder: string;
let reason: string | undefined;
beforeAll(async () => {
  if (!isRoot) return;
  folder = await mkdtemp(join(tmpdir(), 'coppice-range-'));
  await chmod(folder, 0o755);
  await copyFile(await launcher, join(folder, 'launcher'));
  const { scanner, unpacker } = await rootPrograms;
  await copyFile(scanner, join(folder, 'scanner'));
  await copyFile(unpacker, join(folder, 'unpacker'));
  await buildProbe(join(folder, 'probe'));
  await writeFile(join(folder, 'range'), range);
  await writeFile(join(folder, 'small'), `${uid}:600000000:1000\n`);
  reason = await whatUserLacks();
});
afterAll(() => isRoot && rm(folder, { recursive: true, force: true }));

async function runAsUser(subids: string, command: readonly string[]): Promise<string> {
  const args = userArguments(subids && join(folder, subids), command);
  const { stdout } = await execute('unshare', args, { env: { PATH: process.env.PATH } });
  return stdout;
}

/** Why an ordinary user cannot have a range of ids here, found out by making one. */
async function whatUserLacks(): Promise<string | undefined> {
  const mapped = ['unshare', '--user', '--map-root-user', '--map-auto', '--', 'cat', '/proc/self/uid_map'];
  try {
    await runAsUser('range', mapped);
    // A checkout below a private home, such as root's, is not theirs to read.
    await runAsUser('', [process.execPath, '--check', script]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function runInRange(kind: 'overlay' | 'copy', subids: string): Promise<unknown> {
  const roots = join(folder, `roots-${kind}-${subids}`);
  await mkdir(roots);
  await chown(roots, uid, uid);
  const programs = ['launcher', 'scanner', 'unpacker'].map((name) => join(folder, name));
  const args = [script, ...programs, roots, kind, join(folder, 'probe')];
  return JSON.parse(await runAsUser(subids, [process.execPath, ...args]));
}

const files = [
  ...[' 0 0', '/bin 0 0', '/bin/coppice-probe 0 0', '/closed 1000 1000', '/closed/new 1000 1000', '/dev 0 0'],
  ...['/etc 0 0', '/etc/passwd 0 0', '/far 3000000 3000000', '/given 7 8', '/new 0 0', '/null 0 0'],
  ...['/proc 0 0', '/run 0 0', '/sys 0 0'],
];

describe.skipIf(!isRoot)('a jail of an ordinary user with a range of ids (needs root, to become one)', () => {
  test.for(['overlay', 'copy'] as const)(
    'R-11 I-7 H-2: has users, and owners on disk, by %s',
    async (kind, { skip }) => {
      skip(reason !== undefined, `a range of ids: ${reason}`);
      expect(await runInRange(kind, 'range')).toEqual({
        privileges: 'id-range',
        gaps: ['owners above 65535 are nobody', 'device nodes are missing'],
        untouched: true,
        answers: ['ok', 'ok', 'EACCES', 'ok', 'ok', 'EPERM', 'EPERM', 'EACCES'],
        collected: 10,
        files,
        flavour: `${kind}-ids`,
        left: [],
      });
    },
  );

  test('O-1 R-11: what runs in it outlives a bridge that is killed, and the next one stops and ends all of it', async ({
    skip,
  }) => {
    skip(reason !== undefined, `a range of ids: ${reason}`);
    const root = join(folder, 'outlive-root');
    await mkdir(join(root, 'bin'), { recursive: true });
    for (const name of ['tmp', 'etc']) await mkdir(join(root, name));
    await copyFile(join(folder, 'probe'), join(root, 'bin/coppice-probe'));
    await execute('chown', ['-R', `${uid}:${uid}`, root]);
    const jails = join(folder, 'jails');
    await mkdir(jails);
    await chown(jails, uid, uid);
    const word = `outlive-${process.pid}`;
    const script = fileURLToPath(new URL('./outlive-in-range.ts', import.meta.url));
    const command = [process.execPath, script, join(folder, 'launcher'), root, join(jails, 'jail'), word];
    const first = spawn('unshare', userArguments(join(folder, 'range'), [...command, 'begin']), {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH },
    });
    const gone = once(first, 'close');
    const [line] = await Promise.race([once(createInterface({ input: first.stdout }), 'line'), gone]);
    process.kill(Number(line), 'SIGKILL');
    await gone;
    expect(JSON.parse(await runAsUser('range', [...command, 'go-on']))).toEqual({
      ...{ frozen: ['T', 'T'], thawed: ['S', 'S'], left: [] },
    });
  });

  test('R-11 B2 52: whose range is too small is told so, and has one id for all users', async ({ skip }) => {
    skip(reason !== undefined, `a range of ids: ${reason}`);
    expect(await runInRange('copy', 'small')).toMatchObject({
      privileges: 'one-id',
      gaps: [
        expect.stringContaining('files belong to the user that runs the bridge'),
        ...[/device/, /file cap/].map((gap) => expect.stringMatching(gap)),
      ],
      untouched: true,
      // Its user is its root, and there is nobody to give a file to.
      answers: ['ok', 'ok', 'ok', 'EINVAL', 'EEXIST', 'EPERM', 'EPERM', 'EACCES'],
      flavour: 'copy-user',
      left: [],
    });
    const why = [
      process.execPath,
      '-e',
      `import(${JSON.stringify(module)}).then(async (m) => console.log(await m.whatIdRangeLacks()))`,
    ];
    expect(await runAsUser('small', why)).toMatch(/less than 65535 ids/);
    expect(await runAsUser('', why)).toMatch(/\S/);
    expect(await runAsUser('range', why)).toBe('undefined\n');
  });
});

test('ids of a jail have to lie in the map of a namespace in two pieces', () => {
  expect(hasJailIds('0 1000 1\n1 100000 65535\n')).toBe(true);
  expect(hasJailIds('         0     100000      65536\n')).toBe(true);
  expect(hasJailIds('0 1000 1\n1 100000 1000\n1001 200000 64535\n')).toBe(false);
  expect(hasJailIds('0 1000 1\n')).toBe(false);
  expect(hasJailIds('')).toBe(false);
});
