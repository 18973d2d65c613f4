import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { type BridgeConnection, connect } from '../../sdk/connect.ts';
import type { Place } from '../../sdk/routing/place.ts';
import { RoutedShell } from '../../sdk/routing/routed-shell.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`B-8 a shell that moves to a host${lack ? ` (not here: ${lack})` : ''}`, () => {
  let files: TestFolder;
  let bridge: RunningBridge;
  let host: BridgeConnection;
  let token: string;
  let places: readonly Place[];

  beforeAll(async () => {
    files = await makeTestFolder();
    bridge = await runTestBridge(files.options);
    ({ token } = bridge.host.tokens.create({ name: 'test', scope: 'all' }));
    host = await connect({ url: bridge.url, token });
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await bridge?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    places = [
      { backend: shellBackend(), runtime: 'shell' },
      { name: 'the rack', backend: host, runtime: 'jail', memoryMiB: 128 },
    ];
    return async () => {
      for (const { id } of await host.list()) await host.delete({ id });
    };
  });

  test('S-3 B-9 takes files, directory, variables, functions and aliases along when a program is missing, and runs once', async () => {
    await using routed = await RoutedShell.open({
      places,
      envs: { TOKEN: 'secret' },
      cwd: '/home/user/work',
    });
    const look =
      'cd ~; find work/* /tmp/mine /usr/local/share/tool -printf "%p %y %m %U:%G %l %T@\\n" | sort; stat -c %h work/data';
    await routed.run(
      'printf "one\\n" > data; ln data again; ln -s ../work/data link; mkdir -m 700 private; touch -d 2001-02-03 old',
    );
    await routed.run(
      'echo "echo script" > "run me"; chmod 751 "run me"; mkdir /tmp/mine; echo x > /tmp/mine/x',
    );
    await routed.sandbox.run('umask 077; mkdir /usr/local/share/tool; echo y > /usr/local/share/tool/y', {
      user: 'root',
    });
    await routed.run(
      'cd private; export A=1; list=(x "y z"); say() { echo "said $1 $TOKEN $A $list"; }; shopt -s expand_aliases',
    );
    await routed.run('alias shout="say LOUD"; umask 027');
    const before = await routed.run(look);
    expect(before.choice.place.name).toBe('shell');
    expect(before.stdout).toContain('work/run me f 751 1000:1000');
    await routed.run('cd ~/work/private');
    const moved = await routed.run('echo again >> ../log; ls ..; perl -e "print 6 * 7"');
    expect(moved).toMatchObject({
      exitCode: 0,
      stderr: '',
      choice: { place: { name: 'the rack' }, why: 'shell has no perl', lost: [] },
    });
    expect(moved.stdout).toMatch(/log\nold\nprivate\nrun me\n42$/);
    const state = await routed.run('pwd; say it; shout; umask; cat ../log; id -un');
    expect(state.stdout).toBe(
      '/home/user/work/private\nsaid it secret 1 x\nsaid LOUD secret 1 x\n0027\nagain\nuser\n',
    );
    // What a bash has open besides keeps it from ending when it waits.
    expect((await routed.run('ls /proc/self/fd')).stdout).toBe('0\n1\n2\n3\n');
    const after = await routed.run(look);
    expect(after.stdout.split('\n').filter((line) => !line.startsWith('work/log '))).toEqual(
      before.stdout.split('\n'),
    );
    // Over REST, too, another shell goes on from what this one is.
    const call = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${bridge.url}/v1/sandboxes/${routed.sandbox.id}/shells${path}`, {
        headers,
        ...init,
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    const { state: saved } = await call(`/${routed.shell.id}/state`);
    const opened = await call('', { method: 'POST', body: JSON.stringify({ state: saved }) });
    expect(opened).toMatchObject({ user: 'user', cwd: '/home/user' });
    const bodies = [{ state: 'e30=' }, { state: saved, cwd: '/tmp' }, { state: saved, user: 'root' }];
    for (const body of bodies) {
      expect(await call('', { method: 'POST', body: JSON.stringify(body) })).toMatchObject({
        error: { code: 'invalid-argument' },
      });
    }
    const other = await routed.sandbox.shell({ id: String(opened.id) });
    expect((await other.run('say it')).stdout).toBe('said it secret 1 x\n');
    const { snapshots } = await routed.sandbox.history.get();
    expect(snapshots.map(({ cause }) => cause)).toContainEqual({ type: 'manual', label: 'from shell' });
  });

  test('H-5 S-3 the state that came along goes back and forth with checkouts there', async () => {
    await using routed = await RoutedShell.open({ places });
    await routed.run('f() { echo "f $A"; }; A=shell; cd /tmp; echo one > file');
    await routed.moveTo('the rack');
    const { id } = await routed.sandbox.createSnapshot({ label: 'there' });
    await routed.run('A=jail; unset -f f; cd /; rm /tmp/file');
    const { previousHead } = await routed.sandbox.checkout(id);
    expect((await routed.run('f; pwd; cat file')).stdout).toBe('f shell\n/tmp\none\n');
    await routed.sandbox.checkout(previousHead);
    expect((await routed.run('echo $A; pwd; f 2>/dev/null || echo none')).stdout).toBe('jail\n/\nnone\n');
    // Down again, by hand.
    expect(await routed.moveTo('shell')).toMatchObject({ place: { name: 'shell' }, why: 'as asked' });
    expect((await routed.run('echo $A; pwd; ls /tmp')).stdout).toBe('jail\n/\n');
  });

  test('H-8 stays in the shell, whole, where moving is aborted, and leaves nothing on the host', async () => {
    const abort = new AbortController();
    await using routed = await RoutedShell.open({
      places,
      onChoice: ({ place }) => place.name === 'the rack' && abort.abort(),
    });
    await routed.run('A=1; echo one > ~/file');
    await expect(routed.run('perl -e "sleep 1000"', { signal: abort.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect((await routed.run('echo $A; cat ~/file')).stdout).toBe('1\none\n');
    expect(routed.choice.place.name).toBe('shell');
    expect(await host.list()).toEqual([]);
  });
});
