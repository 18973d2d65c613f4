import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packStandalone } from '../../scripts/pack/pack-standalone.ts';
import { packTarball } from '../../scripts/pack/pack-tarball.ts';
import { makeFreshRoot, whatDebootstrapLacks } from './fresh-root.ts';

const execute = promisify(execFile);
const lack = whatDebootstrapLacks();

/** Makes `$1` the root of all that follows, as a container does, with the network of this host, and runs the rest there. */
const enter = `
mount --bind "$1" "$1" && cd "$1"
mount -t proc proc proc; mount --rbind /dev dev; mount --rbind /sys sys
cp /etc/resolv.conf etc/resolv.conf
mkdir -p old && pivot_root . old && cd / && umount -l /old
shift
exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root "$@"`;

/** Runs a script in a root. */
async function within(root: string, script: string): Promise<string> {
  const apart = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--propagation', 'private'];
  const argv = [...apart, 'sh', '-euc', enter, 'sh', root, 'sh', '-euc', script];
  return (await execute('unshare', argv, { maxBuffer: 1 << 24 })).stdout;
}

describe.skipIf(lack)(`a Debian with nothing in it${lack ? ` (not here: ${lack})` : ''}`, () => {
  let folder = '';
  let root = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-debian-'));
    root = join(folder, 'root');
    await makeFreshRoot(root);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('O-11 the archive with Node in it is unpacked and runs; nothing else is needed', async () => {
    await execute('tar', ['-xzf', await packStandalone(folder), '-C', join(root, 'opt')]);
    await expect(within(root, 'node --version')).rejects.toThrow();
    const command = '/opt/coppice/bin/coppice';
    expect(await within(root, `${command} run --runtime shell 'echo hello'`)).toBe('hello\n');
    expect(await within(root, `${command} doctor`)).toContain(
      'C programs: they are in /opt/coppice/programs',
    );
  });

  test('O-11 the package installs with npm, without scripts, and runs a script in a jail', async () => {
    const tarball = await packTarball(folder);
    await copyFile(tarball, join(root, 'coppice.tgz'));
    // What it depends on comes from where this host has packages from, and is at hand inside without a network.
    const cache = join(root, 'npm-cache');
    await execute('npm', ['install', '--prefix', join(folder, 'scratch'), '--cache', cache, tarball]);
    await layOutNode(join(root, 'usr/local'));
    const install = 'npm install -g --offline --ignore-scripts --cache /npm-cache /coppice.tgz';
    await within(root, install);
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await within(root, 'cd /tmp; coppice --version')).toBe(`${version}\n`);
    expect(await within(root, "cd /tmp; coppice run --quiet 'echo hello; id -un'")).toBe('hello\nuser\n');
    const npx = "cd /; npx --offline --cache /npm-cache ./coppice.tgz run 'echo hello'";
    expect(await within(root, npx)).toBe('hello\n');
  });
});

/** This Node, and the host's npm. */
async function layOutNode(to: string): Promise<void> {
  await copyFile(await realpath(process.execPath), join(to, 'bin/node'));
  const { stdout } = await execute('sh', ['-c', 'command -v npm']);
  // The command is a link to bin/npm-cli.js of the package.
  const npm = join(await realpath(stdout.trim()), '../..');
  await mkdir(join(to, 'lib/node_modules'), { recursive: true });
  await cp(npm, join(to, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(to, 'bin', name));
  }
}
