import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../bridge-server/network/public-address.ts';
import { remains } from '../host/residues.ts';
import { openHostCli } from '../host/supervising.ts';
import { whatUsersLack } from '../host/user-bridge.ts';
import { whatJailsLack } from '../host/what-jails-lack.ts';
import { makeFreshRoot, whatDebootstrapLacks } from './fresh-root.ts';

const execute = promisify(execFile);
const lack = whatDebootstrapLacks() ?? (await whatJailsLack());
const userLack = lack ?? (await whatUsersLack());

/** As an agent does it: it knows nothing of snapshots, reads tasks, and goes on until something breaks it. */
const agent = `
export DEBIAN_FRONTEND=noninteractive
version() { dpkg-query -W -f '\${Version}' "$1" 2>/dev/null || echo none; }
echo "agent as $(id -un) finds $(version hello) $(version openssh-client) $(cat /etc/edited 2>/dev/null)"
while read -r task words; do
  case $task in
  install)
    apt-get update -qq && apt-get install -qq -y --no-install-recommends $words >/dev/null &&
      echo "agent has $(hello) $(stat -c '%U %G %a' /usr/bin/ssh-agent)";;
  edit) sed -i 's/^root:x:/root::/' /etc/passwd; echo edited > /etc/edited; echo "agent edited";;
  break) rm -rf /usr/bin/apt* /usr/bin/dpkg* /var/lib/dpkg /lib/x86_64-linux-gnu/libz*; echo "agent broke it";;
  end) exit "$words";;
  esac
done`;

/** Found out of the host: the addresses of its archive that sandboxes reach only if they are opened, as those of a mirror of its own. */
async function ownAddresses(archive: string): Promise<readonly string[]> {
  const { stdout } = await execute('apt-config', ['dump', '--format', '%v%n', 'Acquire::http::Proxy']);
  const hosts = [archive, ...stdout.split('\n')].flatMap((url) => URL.parse(url)?.hostname ?? []);
  const found = await Promise.all(hosts.map((host) => lookup(host, { all: true, family: 4 })));
  return found.flat().flatMap(({ address }) => (isPublicAddress(address) ? [] : [address]));
}

describe.skipIf(lack)(`an agent that installs with apt${lack ? ` (not here: ${lack})` : ''}`, () => {
  let folder = '';
  let root = '';
  let allowed: readonly string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-apt-'));
    root = join(folder, 'root');
    allowed = await ownAddresses(await makeFreshRoot(root));
    const proxy = '/etc/apt/apt.conf.d/proxy.conf';
    await copyFile(proxy, join(root, proxy)).catch(() => undefined);
    await execute('tar', ['-cf', join(folder, 'root.tar'), '-C', root, '.']);
    await execute('chmod', ['755', folder]);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  for (const [user, why, from] of [
    ['root', lack, ['--from', 'root']],
    ['ordinary', userLack, ['--tarball', 'root.tar']],
  ] as const) {
    test.skipIf(why)(
      `R-6 R-11 as ${user}: packages of the archive are installed, rolled back and installed again under supervise, and it starts again each time${why ? ` (not here: ${why})` : ''}`,
      async () => {
        const variables = { COPPICE_NETWORK_ALLOW: allowed.join(',') };
        await using cli = await openHostCli(user, { names: [], hasRange: true, compiles: true, variables });
        const [flag, name] = from;
        await cli.run('init', flag, join(folder, name), '--network', 'public', '--quiet');
        await using supervised = cli.start(['supervise', '--user', 'root', '--', 'bash', '-c', agent]);
        await supervised.says('agent as root finds none none');
        const keep = async (tag: string) => {
          await cli.ctl('commit', tag);
          await cli.ctl('tag', tag);
        };
        await keep('clean');
        const installed = 'agent has Hello, world! root _ssh 2755';
        supervised.say('install hello openssh-client\n');
        await supervised.says(installed);
        await keep('installed');
        supervised.say('edit\nbreak\n');
        await supervised.says('agent broke it');
        await cli.ctl('checkout', 'installed');
        await supervised.says('agent as root finds 2');
        expect(supervised.output()).not.toMatch(/finds 2\S* 1\S* edited/);
        const owner = await cli.run('exec', '--', 'stat', '-c', '%U %G %a', '/usr/bin/ssh-agent');
        expect(owner).toBe('root _ssh 2755\n');
        await cli.ctl('checkout', 'clean');
        await supervised.says('agent as root finds none none', 2);
        supervised.say('install hello openssh-client\n');
        await supervised.says(installed, 2);
        supervised.say('end 0\n');
        expect(await supervised.ended).toBe(0);
        expect(await remains(cli.folder)).toEqual([]);
      },
    );
  }
});
