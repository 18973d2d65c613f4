import { afterAll, beforeAll, expect } from 'vitest';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

/** What every sandbox does, whatever runs it. */
export function basicsSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    test('S-2 a command answers with its output, exit code and what it changed', async () => {
      const result = await sandbox.run('echo out; echo err >&2; echo hi > ~/new; exit 3');
      expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exitCode: 3, reason: 'exited' });
      expect(result.files.created).toEqual(['/home/user/new']);
    });

    test('O-8 it reports what it is, how it differs from its image, and how its last commands ended', async () => {
      await sandbox.run('echo reported > ~/reported; exit 5');
      const { info, history, changes, commands, capturesStopped } = await sandbox.report();
      expect(info).toEqual(sandbox.info);
      expect(history.snapshots).toBeGreaterThan(0);
      expect(capturesStopped).toBeUndefined();
      expect(changes).toMatchObject({ renamed: 0, deleted: 0 });
      expect(changes?.created).toBeGreaterThan(0);
      expect(commands.started).toBe(commands.last.length);
      expect(commands.last.at(-1)).toEqual({
        ...{ command: 'echo reported > ~/reported; exit 5', exitCode: 5, reason: 'exited' },
        ...{ startedAtMs: expect.any(Number), durationMs: expect.any(Number) },
        ...{ cpuMs: expect.any(Number), maxRssBytes: expect.any(Number) },
      });
    });

    test('S-10 standard input is given per run', async () => {
      const { stdout } = await sandbox.run(['tr', 'a-z', 'A-Z'], { stdin: 'shout' });
      expect(stdout).toBe('SHOUT');
    });

    test('S-6 a command past its deadline is killed with all it started', async () => {
      const result = await sandbox.run('sleep 1000 & sleep 1000', { timeoutMs: 300 });
      expect(result).toMatchObject({ reason: 'timeout', signal: 'SIGKILL' });
      const { stdout } = await sandbox.run('pgrep -c sleep');
      expect(stdout.trim()).toBe('0');
    });

    test('I-7 commands run as an ordinary user without capabilities, and as root on request', async () => {
      const user = await sandbox.run('id -un; echo $HOME; grep CapEff /proc/self/status');
      expect(user.stdout).toBe('user\n/home/user\nCapEff:\t0000000000000000\n');
      const root = await sandbox.run('id -un; echo $HOME', { user: 'root' });
      expect(root.stdout).toBe('root\n/root\n');
    });

    test('B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state', async () => {
      const before = await sandbox.createSnapshot({ label: 'before' });
      const broken = await sandbox.run('rm -rf /usr/bin /usr/lib/python3*; echo x > /etc/marker', {
        user: 'root',
      });
      expect(broken.exitCode).toBe(0);
      await expect(sandbox.run('python3 -c 1')).rejects.toMatchObject({ code: 'not-found' });
      const { head, previousHead } = await sandbox.checkout(before.id);
      expect(head).toBe(before.id);
      const after = await sandbox.run('python3 -c "print(6*7)"; cat /etc/marker');
      expect(after.stdout).toBe('42\n');
      expect(after.stderr).toContain('No such file');
      await sandbox.checkout(previousHead);
      const forth = await sandbox.files.read('/etc/marker');
      expect(forth).toBe('x\n');
      await sandbox.checkout(before.id);
    });

    test('H-7 X-8 its machine id is new after going back, and in none of its snapshots', async () => {
      const idOf = async () => (await sandbox.run(['cat', '/etc/machine-id'])).stdout;
      const { id } = await sandbox.createSnapshot();
      const first = await idOf();
      await sandbox.checkout(id);
      const second = await idOf();
      for (const each of [first, second]) expect(each).toMatch(/^[0-9a-f]{12}4[0-9a-f]{19}\n$/);
      expect(second).not.toBe(first);
      expect((await sandbox.files.stat('/etc/machine-id', { at: id })).sizeBytes).toBe(0);
    });

    test('B-3 git, python and a compiled C program work', async () => {
      const script = `
      set -e
      mkdir -p ~/work && cd ~/work && git init -q . && echo 'int main(){return 7;}' > a.c
      git add a.c && git -c user.name=a -c user.email=a@b commit -qm first
      tcc -o a a.c && (./a || echo "exit $?")
      git log --format=%s`;
      const { stdout, stderr } = await sandbox.run(script);
      expect({ stdout, stderr }).toEqual({ stdout: 'exit 7\nfirst\n', stderr: '' });
    });

    test('the diff of two snapshots names what was made, changed and removed', async () => {
      await sandbox.run('cd ~ && echo 1 > keep && echo 2 > gone');
      const a = await sandbox.createSnapshot();
      await sandbox.run('cd ~ && echo more >> keep && rm gone && echo 3 > made');
      const b = await sandbox.createSnapshot();
      const changes = await sandbox.diff(a.id, b.id);
      expect(changes.map(({ type, path }) => `${type} ${path}`)).toEqual([
        'deleted /home/user/gone',
        'modified /home/user/keep',
        'created /home/user/made',
      ]);
    });

    test('H-10 checkpoints of what runs are kept where the runtime has checkpoints, else unsupported by name', async () => {
      const kept = await sandbox.checkpoints.list().then(
        ({ perSecond }) => perSecond > 0,
        ({ code, details }) => [code, details],
      );
      const { checkpoints } = describeRuntime(sandbox.info.runtime) ?? {};
      expect(kept).toEqual(checkpoints || ['unsupported', { feature: 'live snapshots' }]);
    });

    test('H-10 it is within what the description of its runtime says', async () => {
      const { runtime, architecture, network, nested = false, image } = sandbox.info;
      const description = describeRuntime(runtime);
      if (image !== '') expect(description?.architectures).toContain(architecture ?? 'i386');
      expect(['isolated', description?.network, undefined]).toContain(network);
      expect([false, description?.nested]).toContain(nested);
      expect(image !== '').toBe(description?.image);
    });

    test('H-8 what is asked of it after it was closed is refused by name', async () => {
      const closed = await openSandbox();
      const { id } = await closed.createSnapshot();
      await closed.close();
      const asked = [
        closed.run('true'),
        closed.storage(),
        closed.network.log(),
        closed.subscribe(() => {}),
        closed.history.get(),
        closed.history.setTag('late', id),
        closed.connection.info.get(),
      ];
      const codes = (await Promise.allSettled(asked)).map(
        (one) => one.status === 'rejected' && one.reason.code,
      );
      expect(codes).toEqual(asked.map(() => 'connection-lost'));
    });

    test('files are read, written, listed, renamed and removed', async () => {
      await sandbox.files.makeDirectory('/home/user/a/b');
      await sandbox.files.write('/home/user/a/b/ü.txt', 'grüße');
      expect(await sandbox.files.read('/home/user/a/b/ü.txt')).toBe('grüße');
      await sandbox.files.rename('/home/user/a/b/ü.txt', '/home/user/a/c');
      const names = (await sandbox.files.list('/home/user/a')).map(({ name, type, uid }) => ({
        name,
        type,
        uid,
      }));
      expect(names).toEqual([
        { name: 'b', type: 'directory', uid: 1000 },
        { name: 'c', type: 'file', uid: 1000 },
      ]);
      await sandbox.files.remove('/home/user/a');
      expect(await sandbox.files.exists('/home/user/a')).toBe(false);
    });

    test('files and directories are copied as they are, all or nothing', async () => {
      const { files } = sandbox;
      await files.makeDirectory('/home/user/from/below');
      await files.write('/home/user/from/below/run', 'echo run', { mode: 0o750 });
      await files.copy('/home/user/from', '/home/user/to');
      const [copied, before] = await Promise.all([
        files.stat('/home/user/to/below/run'),
        files.stat('/home/user/from/below/run'),
      ]);
      expect(copied).toEqual({ ...before, path: copied.path });
      expect(await files.read('/home/user/to/below/run')).toBe('echo run');
      await files.write('/home/user/to/other', 'other');
      await files.copy('/home/user/to/other', '/home/user/to/below/run');
      expect(await files.read('/home/user/to/below/run')).toBe('other');
      await expect(files.copy('/home/user/from', '/home/user/to')).rejects.toMatchObject({
        code: 'invalid-argument',
      });
      await expect(files.copy('/home/user/none', '/home/user/more')).rejects.toMatchObject({
        code: 'not-found',
      });
      expect((await files.list('/home/user/to')).map(({ name }) => name)).toEqual(['below', 'other']);
      expect(await files.exists('/home/user/more')).toBe(false);
      await files.remove('/home/user/from');
      await files.remove('/home/user/to');
    });
  });
}
