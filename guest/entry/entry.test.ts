import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EntryLab, openEntryLab, untilSaid } from './test/entry-lab.ts';

let lab: EntryLab;
beforeAll(() => {
  lab = openEntryLab();
});
afterAll(() => lab[Symbol.dispose]());

describe('I-6 an agent', () => {
  test('ends the container with its exit code, also that of a signal or of what cannot be run', async () => {
    expect(await lab.run({}, '--', 'sh', '-c', 'echo out; exit 7')).toEqual({
      code: 7,
      stdout: 'out\n',
      stderr: '',
    });
    expect(await lab.run({}, 'sh', '-c', 'kill -KILL $$')).toMatchObject({ code: 137 });
    expect(await lab.run({}, '/no/such')).toMatchObject({
      code: 127,
      stderr: 'coppice-init: Cannot execute /no/such: No such file or directory\n',
    });
    expect(await lab.run({}, '/etc/passwd')).toMatchObject({ code: 126 });
  });

  test('has the signals that the container gets, and decides how it ends', async () => {
    const script = `
      for name in TERM INT QUIT HUP USR1 WINCH; do trap "echo $name" $name; done
      trap 'echo end; exit 3' USR2
      echo ready; while :; do read -t 1 none || :; done <> <(:)`;
    const child = lab.start({}, 'bash', '-c', script);
    await untilSaid(child, 'ready');
    for (const name of ['INT', 'QUIT', 'HUP', 'USR1', 'WINCH', 'TERM']) {
      child.kill(`SIG${name}` as NodeJS.Signals);
      await untilSaid(child, name);
    }
    child.kill('SIGUSR2');
    expect(await once(child, 'exit')).toEqual([3, null]);
  });

  test('that ignores SIGTERM is killed when its time is over', async () => {
    const child = lab.start(
      { SHUTDOWN_TIMEOUT: '1' },
      'bash',
      '-c',
      'trap "" TERM; echo ready; sleep 1000 & wait',
    );
    await untilSaid(child, 'ready');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([137, null]);
  });

  test('that has left its process group gets signals all the same, and cannot stay', async () => {
    const leave = `
import os, signal, sys
begun, beginning = os.pipe()
child = os.fork()
if child == 0:
    os.setpgid(0, 0); os.write(beginning, b'x')
    while True: signal.pause()
os.read(begun, 1)
os.setpgid(0, child)
signal.signal(signal.SIGTERM, lambda *_: os.write(1, b'TERM\\n'))
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print('ready', flush=True)
while True: signal.pause()`;
    const child = lab.start({ SHUTDOWN_TIMEOUT: '1' }, 'python3', '-c', leave);
    await untilSaid(child, 'ready');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await untilSaid(child, 'TERM');
    expect(await ended).toEqual([137, null]);
  });

  test('that ^Z has stopped goes on, as nobody else could wake it', async () => {
    expect(await lab.run({}, 'sh', '-c', 'kill -TSTP $$; echo on')).toMatchObject({
      code: 0,
      stdout: 'on\n',
    });
  });

  test('sees no zombies, and leaves no process behind', async () => {
    const script = `
      pid=$(sh -c 'true & echo $!'); while [ -e /proc/$pid ]; do :; done
      (setsid sleep 1000 & echo $! )`;
    const { code, stdout } = await lab.run({}, 'bash', '-c', script);
    expect(code).toBe(0);
    expect(() => process.kill(Number(stdout), 0)).toThrow(/ESRCH/);
  });

  test('begins with signals as a shell has them, and its own process group', async () => {
    const { stdout } = await lab.run(
      {},
      'sh',
      '-c',
      'grep -E "Sig(Blk|Ign)" /proc/self/status; ps -o pgid= -p $$; echo $$',
    );
    const [blocked, ignored, group, id] = stdout.split('\n').map((line) => line.trim());
    expect([blocked, ignored]).toEqual(['SigBlk:\t0000000000000000', 'SigIgn:\t0000000000000000']);
    expect(group).toBe(id);
  });

  test('ends the container also where the program that started it ignores its children', async () => {
    const ignores = ['env', '--ignore-signal=CHLD', lab.program, '--', 'sh', '-c', 'exit 7'];
    expect(await lab.run({}, ...ignores)).toMatchObject({ code: 7, stderr: '' });
  });
});

test('I-7 a setting that is wrong is named with what to do, before anything is made', async () => {
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ SESSION_ID: '../x' }, /SESSION_ID is "\.\.\/x": it has to be at most 64 letters/],
    [{ WORKSPACE_PATH: 'work' }, /WORKSPACE_PATH is "work": it has to be an absolute path/],
    [{ WORKSPACE_PATH: '/a/../b' }, /WORKSPACE_PATH .* without "\.\."/],
    [{ DATA_PATH: '/a,b' }, /DATA_PATH is "\/a,b"/],
    [{ WORKSPACE_REPOSITORY: 'ext::sh -c id' }, /has to be a URL of https, http or ssh, or an absolute path/],
    [{ WORKSPACE_REPOSITORY: 'https://me:secret@host/x' }, /has a password or a token in it/],
    [{ WORKSPACE_REPOSITORY: '/x', WORKSPACE_COMMIT: '--upload-pack=id' }, /WORKSPACE_COMMIT is "--upload/],
    [{ WORKSPACE_REPOSITORY: '/x', WORKSPACE_CREDENTIALS: '/y' }, /is no URL of https or http/],
    [{ WORKSPACE_COMMIT: 'main' }, /is set without WORKSPACE_REPOSITORY/],
    [{ WORKSPACE_TIMEOUT: '0' }, /WORKSPACE_TIMEOUT is "0": it has to be a number of seconds/],
    [{ DOCKER: 'on' }, /DOCKER is "on": it has to be auto or off/],
    [{ SESSION_USER: 'no-such-user' }, /SESSION_USER/],
    [{ HOME_TEMPLATE: '/no/such' }, /HOME_TEMPLATE is "\/no\/such": there is no such folder/],
  ];
  for (const [settings, message] of wrong) {
    const ended = await lab.run(settings, 'echo', 'ran');
    expect(ended).toMatchObject({ code: 125, stdout: '', stderr: expect.stringMatching(message) });
    expect(ended.stderr).not.toContain('secret');
  }
  expect(await lab.run({})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('usage: coppice-init'),
  });
});
