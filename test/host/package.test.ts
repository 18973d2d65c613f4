import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cachePath } from '../../host/cache/cache-folder.ts';
import { inRepository } from '../../host/repository.ts';
import { stagePackage } from '../../scripts/pack/stage-package.ts';
import { builtImage } from '../fixtures/built-image.ts';
import { runnableImage } from './runnable-image.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
const execute = promisify(execFile);

let folder = '';
// What the package is made of is compiled and bundled first, which takes some 15 s.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-package-'));
  await stagePackage(join(folder, 'node_modules/coppice'));
  // In place of an installation: its dependencies are those of this checkout.
  await symlink(inRepository('node_modules'), join(folder, 'node_modules/coppice/node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a module of the package's user, or its command, outside of this repository. */
function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    COPPICE_ROOT: join(folder, 'root'),
    COPPICE_CACHE: cachePath(),
  };
  return execute(process.execPath, args, { cwd: folder, env });
}

const command = 'node_modules/coppice/lib/cli-main.js';

test('O-11 the package has a command that tells its version and what it can, on modules that are bundled', async () => {
  expect((await run(command, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await run(command, '--help')).stdout).toContain('\n  doctor ');
  const programs = (await run(command, 'doctor', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ name }) => name === 'C programs');
  expect(programs.why).toContain(join(folder, 'node_modules/coppice/programs'));
});

test('I-1 the package has the entrypoint of an ordinary container', async () => {
  const programs = join(folder, 'node_modules/coppice/programs', `${process.platform}-${process.arch}`);
  expect((await execute(join(programs, 'coppice-init'), ['--help'])).stdout).toContain('SESSION_USER');
});

test('S-3 its shells have the programs that run in threads, and those of a folder run as processes', async () => {
  expect((await run(command, 'run', '--runtime', 'shell', 'echo "[1,2]" | jq add')).stdout).toBe('3\n');
  const shells = (await run(command, 'doctor', '--json')).stdout.split('\n').filter((line) => line !== '');
  const checks = shells.map((line) => JSON.parse(line)).filter(({ name }) => name.startsWith('shells'));
  // Of the command itself, and of a bridge.
  expect(checks.map(({ state }) => state)).toEqual(['ok', 'ok']);
});

test('S-1 in Node the package makes a sandbox without configuration, and a bridge where one is asked for', async () => {
  await writeFile(
    join(folder, 'use.ts'),
    `import { Sandbox } from 'coppice';
     import { openLocalHost, runBridge } from 'coppice/bridge';
     await using sandbox = await Sandbox.create();
     console.log((await sandbox.run('echo hello')).stdout.trim(), typeof openLocalHost, typeof runBridge);`,
  );
  expect(await run('use.ts')).toEqual({ stdout: 'hello function function\n', stderr: '' });
});

test('its types are those of the sources, and compile where nothing else is', async () => {
  await writeFile(
    join(folder, 'typed.ts'),
    `import { Sandbox, SandboxError, shellBackend } from 'coppice';
     import { openLocalHost } from 'coppice/bridge';
     export const made: Promise<Sandbox> = Sandbox.create({ backend: shellBackend() });
     export const code: 'busy' | string = SandboxError.from(1).code;
     export const opened: ReturnType<typeof openLocalHost> = openLocalHost({ folder: '/' });`,
  );
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--lib',
    'es2024,esnext',
  ];
  await execute(inRepository('node_modules/.bin/tsc'), [...options, '--ignoreConfig', 'typed.ts'], {
    cwd: folder,
  }).catch((error) => expect.fail(error.stdout));
});

describe.skipIf(lack)(`with jails${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('a script runs in a jail of this host, with programs that nobody compiles and an image that is made on demand', async () => {
    await builtImage(runnableImage);
    const script = ['run', '--image', runnableImage, 'echo hello; id -un'];
    expect(await run(command, ...script)).toMatchObject({ stdout: 'hello\nuser\n' });
  });

  test('S-1 a program in Node makes a jail without a bridge, and finds it again as the command does', async () => {
    await builtImage(runnableImage);
    await writeFile(
      join(folder, 'jail.ts'),
      `import { Sandbox } from 'coppice';
       const options = { runtime: 'jail', image: '${runnableImage}', name: 'by-a-program' } as const;
       let id = '';
       {
         await using sandbox = await Sandbox.create(options);
         id = sandbox.id;
         console.log((await sandbox.run('echo kept > ~/file; id -un')).stdout.trim(), sandbox.info.runtime);
       }
       await using again = await Sandbox.open(id);
       console.log((await again.run('cat ~/file')).stdout.trim(), (await Sandbox.list()).length);`,
    );
    expect(await run('jail.ts')).toEqual({ stdout: 'user jail\nkept 1\n', stderr: '' });
    expect((await run(command, 'list')).stdout).toContain('by-a-program');
    expect((await run(command, 'exec', '--sandbox', 'by-a-program', 'cat', 'file')).stdout).toBe('kept\n');
  });
});
