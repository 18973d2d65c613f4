import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentId, containersOfTests } from './container/entry-container.ts';
import { whatOwnIdLacks } from './what-jails-lack.ts';

const execute = promisify(execFile);
const lack = await whatOwnIdLacks();

describe.skipIf(lack)(`an entrypoint${lack ? ` (not here: ${lack})` : ''}`, () => {
  const containers = containersOfTests();
  const { at } = containers;
  let home = '';
  beforeAll(() => {
    home = at('home/agent');
  });

  test('I-1 I-7 is PID 1 of an ordinary container, and the agent has no capability and cannot get one', async () => {
    const script =
      'echo $PPID; id; echo $HOME $USER $LOGNAME $PWD; grep -E "Cap|NoNew" /proc/self/status | tr -s "\\t0\\n" " "';
    expect(await containers.run({}, script)).toEqual({
      code: 0,
      stdout: [
        '1',
        `uid=${agentId}(agent) gid=${agentId}(agent) groups=${agentId}(agent),4321(tools)`,
        `${home} agent agent /`,
        'CapInh: CapPrm: CapEff: CapBnd: CapAmb: NoNewPrivs: 1 ',
      ].join('\n'),
      stderr: '',
    });
  });

  test('I-1 needs nothing in the image but the program itself', async () => {
    const root = at('data');
    await mkdir(root);
    await copyFile(at('coppice-init'), join(root, 'coppice-init'));
    const env = { PATH: process.env.PATH, SESSION_USER: '4321' };
    const { stdout } = await execute('chroot', [root, '/coppice-init', '--', '/coppice-init', '--help'], {
      env,
    });
    expect(stdout).toContain('SESSION_USER');
    expect((await stat(join(root, 'home/4321'))).uid).toBe(4321);
  });

  test('I-7 a container that begins as the agent’s user needs nothing, and can become nobody else', async () => {
    await mkdir(home);
    await execute('chown', [`${agentId}`, home]);
    const ended = await containers.run(
      { kind: 'user' },
      'id -un; grep CapBnd /proc/self/status >/dev/null && pwd',
    );
    expect(ended).toEqual({ code: 0, stdout: 'agent\n/\n', stderr: '' });
    expect(await containers.run({ kind: 'user', settings: { SESSION_USER: 'root' } }, 'id')).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(
        /^coppice-init: SESSION_USER is "root", and this container begins as the user 1234/,
      ),
    });
  });

  test('I-7 a container that lacks what it takes to become another says so, and runs nothing', async () => {
    await mkdir(home);
    const ended = await containers.run({ kind: 'bare' }, 'echo ran');
    expect(ended).toEqual({
      code: 125,
      stdout: '',
      stderr: expect.stringMatching(
        /^coppice-init: Cannot become the user "agent": Operation not permitted; allow .* SETUID/,
      ),
    });
  });

  test('I-2 a container that is only read has no home, and runs all the same', async () => {
    const script = `mount --bind ${at('home')} ${at('home')}; mount -o remount,bind,ro ${at('home')}`;
    expect(await containers.run({ script }, 'pwd')).toEqual({
      code: 0,
      stdout: '/\n',
      stderr: `coppice-init: there is no home ${home} for "agent", and none can be made: Read-only file system\n`,
    });
  });

  test('I-6 ends all that the agent has left, and says how the agent ended', async () => {
    const script = 'trap "echo TERM; exit 9" TERM; (setsid sleep 1000 &); echo ready; sleep 1000 & wait';
    expect(await containers.run({ whenReady: (pid) => process.kill(pid, 'SIGTERM') }, script)).toEqual({
      code: 9,
      stdout: 'ready\nTERM\n',
      stderr: '',
    });
    const { stdout } = await execute('ps', ['-eo', 'uid']);
    expect(stdout.split(/\s+/)).not.toContain(`${agentId}`);
  });

  test('I-6 keeps the terminal: what is typed is the agent’s, ^C too', async () => {
    const inside = `trap 'echo INT; exit 4' INT; test -t 0 && echo ready; read line`;
    const words = [
      '-qec',
      `SESSION_USER=root ${at('coppice-init')} -- bash -c ${JSON.stringify(inside)}`,
      '/dev/null',
    ];
    const child = execFile('script', words);
    let said = '';
    child.stdout?.on('data', (text: string) => {
      if (!said.includes('ready') && (said + text).includes('ready')) child.stdin?.write('\x03');
      said += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, said }).toEqual({ code: 4, said: 'ready\r\n^CINT\r\n' });
  });

  describe('I-2 a home', () => {
    beforeEach(async () => {
      await mkdir(at('template/bin'), { recursive: true });
      await writeFile(at('template/.profile'), 'first\n', { mode: 0o600 });
      await writeFile(at('template/bin/tool'), '#!/bin/sh\necho tool\n');
      await chmod(at('template/bin/tool'), 0o755);
      await symlink('bin/tool', at('template/link'));
    });
    const settings = () => ({ HOME_TEMPLATE: at('template') });
    const listed = 'cd; stat -c "%n %A %U" .profile bin/tool link; ./link';
    const all = '.profile -rw------- agent\nbin/tool -rwxr-xr-x agent\nlink lrwxrwxrwx agent\ntool\n';

    test('is a copy of the template with modes and links, the user’s own, and on the first start only', async () => {
      expect(
        await containers.run({ settings: settings() }, `${listed}; rm link; echo mine > .profile`),
      ).toEqual({
        code: 0,
        stdout: all,
        stderr: '',
      });
      expect(await containers.run({ settings: settings() }, 'cd; cat .profile; ls')).toMatchObject({
        stdout: 'mine\nbin\n',
      });
    });

    test('on a volume gets what it lacks, and keeps what it has', async () => {
      await mkdir(home);
      await writeFile(join(home, '.profile'), 'older\n');
      await symlink('/etc', join(home, '.coppice-new'));
      const ended = await containers.run({ settings: settings() }, 'cd; cat .profile; ./link');
      expect(ended).toEqual({ code: 0, stdout: 'older\ntool\n', stderr: '' });
    });

    test('that an earlier start has not finished is begun anew', async () => {
      await mkdir(`${home}.coppice-new/half`, { recursive: true });
      expect(await containers.run({ settings: settings() }, listed)).toMatchObject({ stdout: all });
      expect(await readdir(at('home'))).toEqual(['agent']);
    });
  });

  describe('I-5 dockerd', () => {
    const listening = `import os, socket, sys, signal
      at = sys.argv[sys.argv.index('--host') + 1].removeprefix('unix://')
      print('started', *sys.argv[1:], flush=True)
      s = socket.socket(socket.AF_UNIX); s.bind(at); os.chmod(at, 0o666); s.listen(); signal.pause()`.replace(
      /^ {6}/gm,
      '',
    );
    const start = async (script: string, settings: Record<string, string> = {}) => {
      await mkdir(at('data/bin'), { recursive: true });
      await writeFile(at('data/bin/dockerd'), script, { mode: 0o755 });
      const env = { DOCKER: 'auto', DATA_PATH: at('data') };
      const own = `mount -t tmpfs none /run; mount --bind ${at('data/bin')} /usr/local/sbin`;
      return containers.run(
        { settings: { ...env, ...settings }, script: own },
        'test -S /run/docker.sock && echo socket; echo ran',
      );
    };

    test('is waited for, with its data on the data disk', async () => {
      expect(await start(`#!/usr/bin/python3\n${listening}`)).toEqual({
        code: 0,
        stdout: 'socket\nran\n',
        stderr: '',
      });
      expect(await readFile(at('data/dockerd.log'), 'utf8')).toContain(`--data-root ${at('data/docker')}`);
      expect((await stat(at('data/dockerd.log'))).mode & 0o777).toBe(0o600);
    });

    test('that ends, does not listen in time, or is not there is no reason not to go on', async () => {
      const cases = [
        [
          '#!/bin/sh\necho no iptables >&2; exit 1',
          '60',
          /going on without Docker: dockerd ended; what it said is in .*dockerd\.log\n$/,
        ],
        ['#!/bin/sh\nsleep 1000', '1', /dockerd does not listen after DOCKER_TIMEOUT/],
      ] as const;
      for (const [script, timeout, message] of cases) {
        const ended = await start(script, { DOCKER_TIMEOUT: timeout });
        expect(ended).toEqual({ code: 0, stdout: 'ran\n', stderr: expect.stringMatching(message) });
      }
      const none = await containers.run(
        { settings: { DOCKER: 'auto', DATA_PATH: at('data') }, script: 'mount -t tmpfs none /run' },
        'echo ran',
      );
      expect(none).toMatchObject({ stdout: 'ran\n', stderr: expect.stringContaining('there is no dockerd') });
      expect(await start('#!/bin/sh\nexit 1', { DOCKER: 'off' })).toEqual({
        code: 0,
        stdout: 'ran\n',
        stderr: '',
      });
    });
  });
});
