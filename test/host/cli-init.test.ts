import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cachePath } from '../../host/cache/cache-folder.ts';
import { inRepository } from '../../host/repository.ts';
import { tarOf } from '../fixtures/hostile-tars.ts';
import { givePrograms, uid } from './as-user.ts';
import { whatUsersLack } from './user-bridge.ts';
import { whatJailsLack, whatOwnIdLacks } from './what-jails-lack.ts';

const execute = promisify(execFile);
const binary = { encoding: 'buffer', maxBuffer: 1 << 26 } as const;
const lack = await whatJailsLack();
const userLack = lack ?? (await whatUsersLack());
const ownIdLack = await whatOwnIdLacks();

let folder = '';
let source = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-init-'));
  await chmod(folder, 0o755);
  source = join(folder, 'source');
  for (const program of ['/bin/bash', '/bin/cat', '/bin/ls']) await copyProgram(program, source);
  await symlink('bash', join(source, 'bin/sh'));
  await mkdir(join(source, 'srv/node_modules'), { recursive: true });
  await writeFile(join(source, 'srv/a\nname'), 'odd\n');
  await writeFile(join(source, 'srv/node_modules/left'), 'out\n');
  await mkdir(join(source, 'tmp'), { mode: 0o1777 });
  await writeFile(join(source, 'tmp/left'), 'out\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Copies a program of this host and the libraries that it loads to where they are here. */
async function copyProgram(program: string, root: string): Promise<void> {
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const path of [program, ...needed]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await cp(await realpath(path), join(root, path));
  }
}

const environment = (root: string, cache = cachePath()) => ({
  PATH: process.env.PATH,
  HOME: folder,
  COPPICE_ROOT: join(folder, root),
  COPPICE_CACHE: cache,
});
const asUser = ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--'];

/** With a folder for sandboxes of an ordinary user, and the programs that were compiled for root. */
async function userEnvironment(name: string): Promise<ReturnType<typeof environment>> {
  const cache = join(folder, name, 'cache');
  await givePrograms(cache);
  await execute('chown', ['-R', `${uid}:${uid}`, join(folder, name)]);
  return environment(join(name, 'root'), cache);
}

const command = [process.execPath, inRepository('cli/main.ts')];

async function coppice(root: string, ...args: string[]): Promise<string> {
  const [program = '', ...rest] = command;
  return (await execute(program, [...rest, ...args], { env: environment(root), cwd: folder })).stdout;
}

describe.skipIf(lack)(`coppice init${lack ? ` (not here: ${lack})` : ''}`, () => {
  // Some seconds: the program is started six times, as its users do.
  test('R-1 R-2 begins with a copy of a folder, without what is left out, and once only', async () => {
    const from = ['init', '--from', 'source', '--exclude', 'node_modules'];
    const made = JSON.parse(await coppice('copied/root', ...from, '--backend', 'copy', '--json'));
    expect(made).toMatchObject({ name: 'default', runtime: 'jail', remarks: [] });
    const listed = 'ls -b /srv; cat /srv/a*; ls -A /tmp; echo $((6 * 7)) > /srv/new';
    expect(await coppice('copied/root', 'exec', '--user', 'root', '--', 'sh', '-c', listed)).toBe(
      'a\\nname\nodd\n',
    );
    await expect(coppice('copied/root', ...from)).rejects.toMatchObject({
      stderr: expect.stringMatching(/There is a sandbox default already: .*--force/),
    });
    const again = JSON.parse(await coppice('copied/root', ...from, '--force', '--json'));
    expect(again.id).not.toBe(made.id);
    expect(await coppice('copied/root', 'list', '--json')).not.toContain(made.id);
    expect(await coppice('copied/root', 'exec', '--', 'ls', '-b', '/srv')).toBe('a\\nname\n');
    expect(await readdir(join(folder, 'copied/root/importing/tmp'))).toEqual([]);
    expect(await readdir(join(source, 'srv'))).not.toContain('new');
  });

  test('R-1 a folder that has the sandboxes in it is copied without them', async () => {
    const root = join(source, 'var/sandboxes');
    const args = ['init', '--root', root, '--from', source];
    await coppice('unused', ...args);
    await coppice('unused', ...args, '--force');
    expect(await coppice('unused', 'exec', '--root', root, '--user', 'root', '--', 'ls', '-A', '/var')).toBe(
      '',
    );
    await rm(join(source, 'var'), { recursive: true });
  });

  test('R-1 what is mounted below stays out, from the same file system too', async () => {
    const [program = '', ...rest] = command;
    const line = [program, ...rest, 'init', '--from', 'source', '--quiet']
      .map((word) => `'${word}'`)
      .join(' ');
    await mkdir(join(source, 'srv/[volume]'));
    const script = `mount --bind '${source}/bin' '${source}/srv/[volume]' && ${line}`;
    const options = { env: environment('mounted'), cwd: folder };
    await execute('unshare', ['--mount', 'sh', '-c', script], options);
    expect(await coppice('mounted', 'exec', '--', 'ls', '-A', '/srv/[volume]', '/srv/node_modules')).toBe(
      '/srv/[volume]:\n\n/srv/node_modules:\nleft\n',
    );
    await rm(join(source, 'srv/[volume]'), { recursive: true });
  });

  test('R-1 a fifo, a sparse file, hard links and names of any bytes are as they were; a socket stays out', async () => {
    const odd = join(folder, 'odd');
    await cp(source, odd, { recursive: true, verbatimSymlinks: true });
    await mkdir(join(odd, 'opt'));
    await writeFile(Buffer.from(`${odd}/opt/\xff\n`, 'latin1'), 'bytes\n');
    await execute('mkfifo', [join(odd, 'opt/fifo')]);
    await writeFile(join(odd, 'opt/sparse'), 'begins');
    await truncate(join(odd, 'opt/sparse'), 2 ** 30);
    await link(join(odd, 'opt/sparse'), join(odd, 'opt/linked'));
    const server = createServer().listen(join(odd, 'opt/socket'));
    await once(server, 'listening');
    await coppice('odd-root', 'init', '--from', 'odd');
    server.close();
    const script =
      'cd /opt; printf "%q " *; cat $\'\\xff\\n\'; [[ -p fifo && sparse -ef linked ]] && ls -s sparse; read -r -n 6 a < linked; echo $a; ls -l sparse';
    const told = await coppice('odd-root', 'exec', '--', '/bin/bash', '-c', script);
    expect(told).toMatch(
      /^fifo linked sparse \$'\\377\\n' bytes\n\d{1,2} sparse\nbegins\n.* 1073741824 .*\n$/,
    );
  });

  test('R-1 an archive reaches nothing of this host: by links, by names, or by devices', async () => {
    const escaped = `coppice-escaped-${process.pid}`;
    const hostile = join(folder, 'hostile.tar');
    const { stdout: programs } = await execute('tar', ['-c', '-C', source, '.'], binary);
    const members = tarOf(
      { type: 'directory', path: 'etc/', permissions: 0o755 },
      { type: 'symlink', path: 'out', linkPath: '/etc' },
      { path: `out/${escaped}`, content: 'inside\n' },
      { type: 'symlink', path: 'up', linkPath: '../../../../../../../etc' },
      { path: `up/${escaped}-too`, content: 'inside\n' },
      { type: 'blockDevice', path: 'disk', major: 7, minor: 0, permissions: 0o666 },
    );
    // The members come before the end of what tar has written.
    await writeFile(hostile, Buffer.concat([members.subarray(0, -1024), programs]));
    await coppice('hostile-root', 'init', '--tarball', hostile);
    const read = `cat /etc/${escaped} /etc/${escaped}-too; cat /disk || echo denied`;
    expect(await coppice('hostile-root', 'exec', '--', '/bin/bash', '-c', read)).toBe(
      'inside\ninside\ndenied\n',
    );
    expect((await readdir('/etc')).filter((name) => name.startsWith(escaped))).toEqual([]);
    await writeFile(hostile, tarOf({ path: `../../etc/${escaped}`, content: 'x' }));
    await expect(coppice('hostile-root', 'init', '--force', '--tarball', hostile)).rejects.toMatchObject({
      stderr: expect.stringContaining('etc/coppice-escaped'),
    });
    expect(await coppice('hostile-root', 'exec', '--', '/bin/cat', `/etc/${escaped}`)).toBe('inside\n');
  });

  test('R-2 a full disk leaves nothing of it', async () => {
    await writeFile(
      join(source, 'srv/large'),
      Buffer.from(Array.from({ length: 6e6 }, () => Math.random() * 256)),
    );
    const [program = '', ...rest] = command;
    const line = [...rest, 'init', '--from', 'source'].map((word) => `'${word}'`).join(' ');
    const root = join(folder, 'full');
    await mkdir(root);
    // Room for the folder's own files and a reserve, and not for the copy.
    const script = `mount -t tmpfs -o size=8m none ${root} && { '${program}' ${line}; echo "code $?"; ls ${root}/images ${root}/importing/tmp 2>/dev/null; true; }`;
    const { stdout, stderr } = await execute('unshare', ['--mount', 'sh', '-c', script], {
      env: environment('full'),
      cwd: folder,
    });
    await rm(join(source, 'srv/large'));
    expect({ stdout, stderr }).toMatchObject({
      stdout: expect.stringMatching(/^code \d+\n(\S+:\n\n?)*$/),
      stderr: expect.stringMatching(/no space|full/i),
    });
    expect(stdout).not.toContain('code 0');
  });

  test('R-1 an output of Nix brings what its files mention, and is the root', async () => {
    const store = join(folder, 'nix/store');
    const path = (letter: string, name: string) => join(store, `${letter.repeat(32)}-${name}`);
    const [output, needed, unneeded] = [path('a', 'env'), path('b', 'data'), path('c', 'other')];
    await cp(source, output, { recursive: true, verbatimSymlinks: true });
    await mkdir(needed, { recursive: true });
    await writeFile(join(needed, 'data'), 'needed\n');
    await mkdir(unneeded);
    await writeFile(join(output, 'mentions'), `${'x'.repeat(1_048_570)}${needed}/data`);
    await symlink(output, join(folder, 'result'));
    await coppice('nix-root', 'init', '--from', 'result');
    expect(await coppice('nix-root', 'exec', '--', 'cat', join(needed, 'data'))).toBe('needed\n');
    await expect(coppice('nix-root', 'exec', '--', 'ls', unneeded)).rejects.toThrow(/No such file/);
  });
});

describe.skipIf(userLack)(
  `coppice init of an ordinary user${userLack ? ` (not here: ${userLack})` : ''}`,
  () => {
    test('R-1 R-11 what it may not read stays out, and is said', async () => {
      await writeFile(join(source, 'srv/secret'), 'secret\n', { mode: 0o600 });
      const env = await userEnvironment('of-user');
      const [program = '', ...words] = [...asUser, ...command];
      const made = await execute(program, [...words, 'init', '--from', 'source', '--json'], {
        env,
        cwd: folder,
      });
      const said = 'This user may not read all of it: 1 files and folders are left out, such as ./srv/secret';
      const oneId = expect.stringContaining('this user of the host has no range of ids');
      expect(JSON.parse(made.stdout).remarks).toEqual([said, oneId]);
      expect(made.stderr).toContain(`! ${said}`);
      const listed = await execute(program, [...words, 'exec', '--', 'ls', '-b', '/srv'], {
        env,
        cwd: folder,
      });
      expect(listed.stdout).toBe('a\\nname\nnode_modules\n');
      await rm(join(source, 'srv/secret'));
    });
  },
);

describe.skipIf(ownIdLack)(
  `as in a container of Docker's${ownIdLack ? ` (not here: ${ownIdLack})` : ''}`,
  () => {
    let container = '';
    beforeAll(async () => {
      container = join(folder, 'as-in-docker');
      const flags = ['-std=gnu17', '-D_GNU_SOURCE', '-static'];
      const code = join(import.meta.dirname, 'container/as-in-docker.c');
      await execute('gcc', [...flags, code, '-o', container]);
    });

    test('R-1 S-5 the container’s files begin a sandbox behind Landlock, and an agent is supervised in it', async () => {
      const script = [
        `${command.join(' ')} init --from source --json`,
        `${command.join(' ')} supervise -- sh -c 'echo made > ~/made; cat ~/made; exit 5'`,
        'echo "code $?"',
        `${command.join(' ')} log --json`,
      ].join('\n');
      const env = environment('in-container');
      const { stdout } = await execute(container, ['/bin/sh', '-c', script], { env, cwd: folder });
      const [made = '', ...lines] = stdout.split('\n');
      expect(JSON.parse(made)).toMatchObject({ name: 'default', remarks: [] });
      expect(lines.slice(0, 2)).toEqual(['made', 'code 5']);
      expect(lines.length).toBeGreaterThan(3);
    });

    test('S-5 an ordinary user there is told why there are no jails, and nothing is made', async () => {
      const env = await userEnvironment('user-in-container');
      const words = ['/usr/bin/env', ...asUser, ...command, 'init', '--from', 'source', '--quiet'];
      await expect(execute(container, words, { env, cwd: folder })).rejects.toMatchObject({
        stderr: expect.stringMatching(
          /an ordinary user can change neither its root nor its id\. `coppice doctor`/,
        ),
      });
      expect(await readdir(join(env.COPPICE_ROOT, 'images')).catch(() => [])).toEqual([]);
    });
  },
);
