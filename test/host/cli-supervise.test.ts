import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runsLong } from '../runs-long.ts';
import { remains } from './residues.ts';
import { type HostCli, openHostCli } from './supervising.ts';
import { whatUsersLack } from './user-bridge.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
const userLack = lack ?? (await whatUsersLack());
/** What gives an ordinary user its range of ids: without it, all users in a sandbox are one. */
const hasRange = spawnSync('sh', ['-c', 'command -v newuidmap']).status === 0;

/** An agent that knows nothing of snapshots: it does what it reads, one line each, until something breaks it. */
const agent = `
version() { dpkg-query -W -f '\${Version}' greeter 2>/dev/null || echo none; }
echo "agent finds $(version) $(greeter 2>/dev/null)"
while read -r task number; do
  case $task in
  install)
    mkdir -p /tmp/package/DEBIAN /tmp/package/usr/bin
    printf 'Package: greeter\\nVersion: %s\\nArchitecture: all\\nMaintainer: a <a@b>\\nDescription: greets\\n' "$number" > /tmp/package/DEBIAN/control
    printf '#!/bin/sh\\necho greetings %s\\n' "$number" > /tmp/package/usr/bin/greeter
    chmod 755 /tmp/package/usr/bin/greeter
    dpkg-deb --build --root-owner-group /tmp/package /tmp/greeter.deb >&2 && dpkg -i /tmp/greeter.deb >&2
    echo "agent has $(version) $(greeter)";;
  edit) echo "PATH=/nowhere" >> ~/.bashrc; echo "agent edited";;
  break) rm -rf /usr/bin/dpkg* /usr/bin/greeter /var/lib/dpkg; echo "agent broke it";;
  end) exit "$number";;
  esac
done`;

// The ordinary user unpacks the image, if no file before has, which takes some seconds.
const users = [['root', lack] as const, ...(runsLong ? [['ordinary', userLack] as const] : [])];

for (const [user, why] of users) {
  describe.skipIf(why)(`supervise as ${user}${why ? ` (not here: ${why})` : ''}`, () => {
    let cli: HostCli;
    beforeAll(async () => {
      cli = await openHostCli(user, { hasRange });
    });
    afterAll(() => cli?.[Symbol.asyncDispose]());

    test('R-6 R-7 packages that an agent installs are rolled back and installed again, and it starts again each time', async () => {
      await using supervised = cli.start(['supervise', '--user', 'root', '--', 'bash', '-c', agent]);
      await supervised.says('agent finds none');
      const clean = (await cli.ctl('commit', 'clean')) as { id: string };
      supervised.say('install 1.0\n');
      await supervised.says('agent has 1.0 greetings 1.0');
      await cli.ctl('commit', 'installed');
      await cli.ctl('tag', 'installed');
      supervised.say('edit\nbreak\n');
      await supervised.says('agent broke it');
      await cli.ctl('checkout', 'installed');
      await supervised.says('agent finds 1.0 greetings 1.0');
      await cli.ctl('checkout', clean.id.slice(0, 12));
      await supervised.says('agent finds none', 2);
      supervised.say('install 2.0\n');
      await supervised.says('agent has 2.0 greetings 2.0');
      expect(await cli.run('exec', '--', 'greeter')).toBe('greetings 2.0\n');
      supervised.say('end 0\n');
      expect(await supervised.ended).toBe(0);
      expect(await remains(cli.folder)).toEqual([]);
      // What it had when it ended is there, without anybody who served it.
      expect(await cli.run('exec', '--', 'greeter')).toBe('greetings 2.0\n');
    });

    const idsLack = user === 'root' || hasRange ? undefined : 'no newuidmap';
    test.skipIf(idsLack)(
      `R-6 a package may give files to other users${idsLack ? ` (not here: ${idsLack})` : ''}`,
      async () => {
        const give = ['sh', '-c', 'touch /srv/given; chown 42:43 /srv/given; stat -c %u:%g /srv/given'];
        expect(await cli.run('exec', '--user', 'root', '--', ...give)).toBe('42:43\n');
      },
    );
  });
}

describe.skipIf(lack)(`supervise${lack ? ` (not here: ${lack})` : ''}`, () => {
  let root: HostCli;
  beforeAll(async () => {
    root = await openHostCli('root', { names: ['terminal', 'bomb', 'killed', 'ended'] });
  });
  afterAll(() => root?.[Symbol.asyncDispose]());

  test('R-6 a terminal goes through: its size, its changes, every key, and it is set back in the end', async () => {
    const cli = root;
    const tty = join(cli.folder, 'tty');
    const inTerminal = `tty > ${tty}; stty cols 97 rows 31; COMMAND; echo "code $?"; stty -a`;
    // A trap waits for the end of a read, so nothing is read until the change of size is there.
    const script = `
      trap 'echo interrupted' INT; trap 'isResized=1' WINCH
      stty size; echo "term $TERM"
      until [ "$isResized" ]; do sleep 0.05; done; stty size
      while :; do read -r line && echo "read $line" || break; done`;
    const words = ['supervise', '--sandbox', 'terminal', '--', 'bash', '-c', script];
    await using supervised = cli.start(words, { inTerminal });
    await supervised.says('term xterm');
    expect(supervised.output()).toContain('31 97');
    const path = (await readFile(tty, 'utf8')).trim();
    await promisify(execFile)('stty', ['-F', path, 'cols', '120', 'rows', '40']);
    await supervised.says('40 120');
    supervised.say(Uint8Array.of(3));
    await supervised.says('interrupted');
    supervised.say('ünï\r');
    await supervised.says('read ünï');
    supervised.say(Uint8Array.of(4));
    expect(await supervised.ended).toBe(0);
    expect(supervised.output()).toMatch(/code 0/);
    expect(supervised.output()).toMatch(/[ ;]icanon/);
  });

  test('R-6 the supervisor outlives as many processes as there may be inside, and a checkout ends them', async () => {
    const script =
      'echo started; bomb() { bomb | bomb & }; read -r line; bomb 2>/dev/null; echo full; sleep 1000';
    const args = ['supervise', '--sandbox', 'bomb', '--', 'bash', '-c', script];
    await using supervised = root.start(args);
    await supervised.says('started');
    await root.ctl('tag', 'before');
    supervised.say('now\n');
    await supervised.says('full');
    await root.ctl('checkout', 'before');
    await supervised.says('started', 2);
    expect(await supervised.end('SIGTERM')).toBe(143);
    expect(await remains(root.folder)).toEqual([]);
  });

  test('R-6 a kill of everything inside ends the program, and the supervisor as if it had been that one', async () => {
    await using supervised = root.start([
      'supervise',
      '--sandbox',
      'killed',
      '--',
      'bash',
      '-c',
      'echo ready; read -r line',
    ]);
    await supervised.says('ready');
    await root
      .run('exec', '--sandbox', 'killed', '--user', 'root', '--', 'bash', '-c', 'kill -9 -1')
      .catch(() => undefined);
    expect(await supervised.ended).toBe(137);
    expect(await remains(root.folder)).toEqual([]);
  });

  test('R-7 a daemon in the background answers when its starter ends, until it is told to stop', async () => {
    const { pid } = JSON.parse(await root.run('daemon', '--background', '--json')) as { pid: number };
    expect(await root.ctl('status', '--sandbox', 'ended')).toMatchObject({ server: { pid } });
    await root.ctl('stop');
    await expect.poll(() => remains(root.folder)).toEqual([]);
  });

  test('R-6 SIGTERM ends the program, what it has left running, and the supervisor, and saves', async () => {
    const cli = root;
    const script =
      'setsid sleep 1000 & trap "echo last words > ~/said; exit 5" TERM; echo ready; while :; do sleep 0.1; done';
    await using supervised = cli.start(['supervise', '--sandbox', 'ended', '--', 'bash', '-c', script]);
    await supervised.says('ready');
    expect(await supervised.end('SIGTERM')).toBe(5);
    expect(await remains(cli.folder)).toEqual([]);
    expect(await cli.run('exec', '--sandbox', 'ended', '--', 'cat', '/home/user/said')).toBe('last words\n');
  });
});
