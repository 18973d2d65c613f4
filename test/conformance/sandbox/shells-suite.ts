import { afterAll, beforeAll, expect } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { ranCommands } from '../../../protocol/sandbox/ran-commands.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import type { Shell } from '../../../sdk/shells.ts';
import { EventWatch } from './event-watch.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

/** Uses every part of a shell's state: what it says is the same wherever the shell goes on. */
const useState =
  'pwd; echo "$GIVEN $EXPORTED $WORD $DIGEST"; sh -c \'echo "$EXPORTED"\'; say it; shout; echo /*; umask; shopt nullglob';

/** Shells of a sandbox, which go on from one command to the next. */
export function shellsSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('shells of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    test('S-3 directory, variables, functions, aliases, options, mask and history go on', async () => {
      await using shell = await sandbox.shell({ cwd: '/tmp', envs: { GIVEN: "it's" } });
      await shell.run(
        'mkdir -p "a b" && cd "a b"; export EXPORTED=1; list=(x "y  z"); WORD=$(echo "$EXPORTED-y  z")',
      );
      await shell.run('declare -A map=([k]=$\'v\\n\\\\\' [$\'\\xff\']="\\$1"); say() { echo "said $1"; }');
      await shell.run('alias shout="say LOUD"; set -o noglob; shopt -s nullglob extglob; umask 027');
      await shell.run('matches() { case $1 in @(a|b)) echo yes ;; *) echo no ;; esac; }; export -f say');
      await shell.run('DIGEST=$(declare -p list map | cksum); readonly FIXED=1');
      const before = await output(shell, `${useState}; matches b; bash -c "say all"; FIXED=2; echo $?`);
      expect(before).toContain("/tmp/a b\nit's 1 1-y  z ");
      expect(before).toContain('\n1\nsaid it\nsaid LOUD\n/*\n0027\nnullglob');
      expect(before).toContain('\nyes\nsaid all\n');
      // The same in a bash that goes on from the state, when the one before is gone.
      const asked = `${useState}; matches b; bash -c "say all"; FIXED=2; echo $?`;
      expect(await shell.run('kill -KILL $$')).toMatchObject({ exitCode: 137 });
      expect(withoutLines(await output(shell, asked))).toBe(withoutLines(before));
      expect(await output(shell, 'echo "$DIGEST"; declare -p list map | cksum')).toMatch(/^(.*)\n\1\n$/);
      const history = (await output(shell, 'history')).split('\n').map((line) => line.trim().slice(0, 10));
      expect(history.slice(0, 3)).toEqual(['1  mkdir -', '2  declare', '3  alias s']);
      expect(history.slice(-3)).toEqual(['8  echo "$', '9  history', '']);
      expect(await shell.info()).toMatchObject({ user: 'user', cwd: '/tmp/a b', isRunning: false, lost: [] });
    });

    test('S-3 R-3 a run answers as a command does, and the history has it with its files', async () => {
      await using shell = await sandbox.shell();
      // A capture of earlier commands that is under way now would have the file and not the run's name.
      await sandbox.createSnapshot();
      const events = await EventWatch.open(sandbox);
      const result = await shell.run('cd /home/user; echo out; echo err >&2; echo made > made; (exit 7)');
      expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exitCode: 7, reason: 'exited' });
      expect(result.files.created).toContain('/home/user/made');
      expect(await output(shell, 'echo "$?"; printf "no newline"; false')).toBe('7\nno newline');
      expect(await output(shell, 'echo "$?"')).toBe('1\n');
      const { snapshot } = await events.next('snapshot', ({ snapshot }) =>
        snapshot.changes.paths.includes('/home/user/made'),
      );
      expect(ranCommands(snapshot).map(({ command }) => command)).toContainEqual(
        expect.stringMatching(/^cd \/home\/user; echo out/),
      );
    });

    test('S-3 a run reads what was given to it, all of it or less, and no other run does', async () => {
      await using shell = await sandbox.shell();
      const bytes = new Uint8Array(200_000).map((_, at) => at % 251);
      const sum = (await sandbox.run(['cksum'], { stdin: bytes })).stdout;
      expect((await shell.run('cksum', { stdin: bytes })).stdout).toBe(sum);
      expect(
        (await shell.run('read -r line; echo "[$line]"', { stdin: 'one\ntwo\necho three' })).stdout,
      ).toBe('[one]\n');
      expect((await shell.run('cat', { stdin: '' })).stdout).toBe('');
      expect((await shell.run('cat; echo end')).stdout).toBe('end\n');
      const later = await shell.run('cat', { background: true, stdin: true });
      await later.sendStdin('a');
      await later.sendStdin('b');
      await later.closeStdin();
      expect((await later.wait()).stdout).toBe('ab');
    });

    test('S-3 H-9 input reaches a run whatever the shell defines, and leaves no file behind, also where there is no room', async () => {
      await using shell = await sandbox.shell();
      await shell.run('exec() { echo no; }; set -C');
      expect((await shell.run('cat', { stdin: 'given' })).stdout).toBe('given');
      // A limit that a machine of ours need not enforce.
      await shell.run('ulimit -f 8');
      await shell.run('cat', { stdin: new Uint8Array(100_000) });
      expect(await output(shell, 'ls -A /tmp /dev/shm 2>/dev/null | grep coppice')).toBe('');
      expect((await shell.run('cat', { stdin: 'again' })).stdout).toBe('again');
    });

    test('S-3 a run that ends the shell, fails it or is killed is undone in its state', async () => {
      await using shell = await sandbox.shell({ cwd: '/usr' });
      await shell.run('NAME=before; loop() { while :; do :; done; }');
      const state = async () => output(shell, 'echo "$NAME $PWD $-"');
      const before = await state();
      expect(await shell.run('NAME=after; cd /; exit 3')).toMatchObject({ exitCode: 3, reason: 'exited' });
      expect(await state()).toBe(before);
      expect(await shell.run('NAME=after; set -e; false; echo no')).toMatchObject({
        exitCode: 1,
        stdout: '',
      });
      expect(await state()).toBe(before);
      expect((await shell.run('exec echo gone')).stdout).toBe('gone\n');
      expect(await state()).toBe(before);
      const late = await shell.run('NAME=after; echo up; sleep 1000 & sleep 1000', { timeoutMs: 3_000 });
      expect(late).toMatchObject({ reason: 'timeout', stdout: 'up\n' });
      expect(await state()).toBe(before);
      // A failure that a script may have is none of the shell.
      await shell.run('set -e');
      expect(await shell.run('[[ -f /none ]] && echo; ! true; NAME=kept; ! true')).toMatchObject({
        exitCode: 1,
      });
      expect(await output(shell, 'echo "$? $NAME"')).toBe('1 kept\n');
    });

    test('S-3 a run of any text ends, and the shell goes on', async () => {
      await using shell = await sandbox.shell({ cwd: '/home/user' });
      const runs: readonly (readonly [command: string, stdout: string, exitCode: number])[] = [
        ['set -u; IFS=; shopt -s nullglob', '', 0],
        ['read() { echo no; }; printf() { :; }; exit() { :; }; cd() { :; }; declare() { :; }', '', 0],
        ['alias read=false eval=false set=false history=false; alias', '*', 0],
        ['unalias -a; unset -f read printf exit cd declare; set +u; unset IFS', '', 0],
        ['echo )', '', 2],
        ['echo "', '', 2],
        ['break; echo on', 'on\n', 0],
        ['echo $((1 / 0)); echo no', '', 1],
        ['cat <<X\n$((1 + 1))\nX', '2\n', 0],
        ['echo a \\', 'a\n', 0],
        ['echo b # comment', 'b\n', 0],
        ['', '', 0],
        ['\n', '', 0],
        ["echo 'it''s' \"\\\"$(echo 'x\ny')\\\"\"", 'its "x\ny"\n', 0],
        ['exec > moved; echo in the file', '', 0],
        ['cat moved >&2; exec >&2', '', 0],
        ['exec >&-', '', 0],
        ['exec > other; cat moved', '', 0],
      ];
      for (const [command, stdout, exitCode] of runs) {
        const result = await shell.run(command);
        expect([command, result.exitCode]).toEqual([command, exitCode]);
        if (stdout !== '*') expect([command, result.stdout]).toEqual([command, stdout]);
      }
      expect(await sandbox.files.read('/home/user/other')).toBe('in the file\n');
      expect(await shell.info()).toMatchObject({ cwd: '/home/user', lost: [] });
    });

    test('S-3 xtrace shows the commands of a run and nothing else', async () => {
      await using shell = await sandbox.shell();
      await shell.run('set -x');
      expect((await shell.run('echo a')).stderr.replace(/^\++ /, '')).toBe('echo a\n');
      expect((await shell.run('set +x')).stderr.replace(/^\++ /, '')).toBe('set +x\n');
      expect((await shell.run('echo a')).stderr).toBe('');
    });

    test('S-3 jobs run on between two runs, in no run’s output, and snapshots do not have them', async () => {
      await using shell = await sandbox.shell({ cwd: '/home/user' });
      await shell.run(
        '{ until [[ -f go ]]; do sleep 0.05; done; echo late; echo done > done; } & trap "echo t" USR1',
      );
      expect(await shell.info()).toMatchObject({ lost: ['traps', 'jobs'] });
      await sandbox.files.write('/home/user/go', '');
      await expect.poll(() => sandbox.files.exists('/home/user/done'), { timeout: 120_000 }).toBe(true);
      expect(await output(shell, 'wait; echo now')).toBe('now\n');
      expect(await shell.info()).toMatchObject({ lost: ['traps'] });
    });

    test('S-3 shells do not mix; runs of one go one after the other, and one that waits can be given up', async () => {
      await using one = await sandbox.shell({ cwd: '/tmp' });
      await using other = await sandbox.shell({ cwd: '/usr', user: 'root' });
      const up = Promise.withResolvers<void>();
      const long = await one.run('NAME=one; echo up; while [[ ! -f /tmp/end ]]; do sleep 0.05; done', {
        background: true,
        onStdout: () => up.resolve(),
      });
      await up.promise;
      const abort = new AbortController();
      const unwanted = one.run('touch /tmp/unwanted', { signal: abort.signal });
      const next = one.run('echo "$NAME $(whoami) $PWD"');
      expect(await output(other, 'echo "$NAME $(whoami) $PWD"')).toBe(' root /usr\n');
      expect((await sandbox.shells()).map(({ id, isRunning }) => [id, isRunning])).toEqual([
        [one.id, true],
        [other.id, false],
      ]);
      abort.abort();
      await expect(unwanted).rejects.toMatchObject({ code: 'aborted' });
      await sandbox.files.write('/tmp/end', '');
      expect((await long.wait()).exitCode).toBe(0);
      expect((await next).stdout).toBe('one user /tmp\n');
      expect(await sandbox.files.exists('/tmp/unwanted')).toBe(false);
    });

    test('S-3 H-8 closing a shell ends what runs in it; another client finds a shell by its id', async () => {
      const shell = await sandbox.shell();
      await shell.run('NAME=shared');
      expect(await output(await sandbox.shell({ id: shell.id }), 'echo "$NAME"')).toBe('shared\n');
      const up = Promise.withResolvers<void>();
      const long = shell.run('echo up; sleep 5555', { onStdout: () => up.resolve() });
      await up.promise;
      const waits = shell.run('echo no');
      const reads = await shell.run('cat', { background: true, stdin: true });
      await shell.close();
      expect(await long).toMatchObject({ stdout: 'up\n', signal: 'SIGKILL' });
      expect(await waits).toMatchObject({ stdout: '', reason: 'machine-failed' });
      expect(await reads.wait()).toMatchObject({ stdout: '', reason: 'machine-failed' });
      const other = await sandbox.shell();
      const first = await other.run('cat', { background: true, stdin: true });
      await other.close();
      expect(await first.wait()).toMatchObject({ stdout: '', reason: 'killed' });
      await expect(shell.run('true')).rejects.toMatchObject({ code: 'not-found' });
      await expect(sandbox.shell({ id: shell.id })).rejects.toMatchObject({ code: 'not-found' });
      expect(await sandbox.shells()).toEqual([]);
    });

    test('S-3 a saved state says what of it a shell does not have, and opens none elsewhere than it was', async () => {
      const saved = (cwd: string) =>
        new TextEncoder().encode(
          `{"user":"user","lost":["jobs"],"envs":["NONE"]}\0${cwd}\0declare -- A="1"\nf () \n{ \n  ((( \n}\nalias b='c'\n\0`,
        );
      await using shell = await sandbox.shell({ state: saved('/tmp') });
      expect((await shell.info()).lost).toEqual(['jobs', 'variables', 'functions', 'aliases']);
      expect(await output(shell, 'echo $A $PWD')).toBe('1 /tmp\n');
      const shells = await sandbox.shells();
      await expect(sandbox.shell({ state: saved('/none') })).rejects.toMatchObject({
        code: 'not-found',
        message: expect.stringContaining('"/none"'),
      });
      expect(await sandbox.shells()).toEqual(shells);
    });

    test('S-3 a saved state opens another shell that goes on from it, and so do its snapshots', async () => {
      await using shell = await sandbox.shell({ cwd: '/tmp', user: 'root' });
      await shell.run('NAME=kept; list=(x "y z"); f() { echo "f $NAME $list"; }; cd /usr; set -o noglob');
      const state = await shell.save();
      await shell.run('NAME=later; cd /');
      await using other = await sandbox.shell({ state });
      const { id } = await sandbox.createSnapshot({ label: 'saved' });
      expect(await output(other, 'f; pwd; echo /*; whoami; NAME=other; cd /tmp')).toBe(
        'f kept x\n/usr\n/*\nroot\n',
      );
      expect(await output(shell, 'echo "$NAME $PWD"')).toBe('later /\n');
      await sandbox.checkout(id);
      expect(await output(other, 'f; pwd; history | head -n 1')).toMatch(/^f kept x\n\/usr\n +1 +NAME=kept;/);
      expect((await other.info()).lost).toEqual([]);
      await expect(sandbox.shell({ state, user: 'user' })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
      await expect(sandbox.shell({ state, cwd: '/' })).rejects.toMatchObject({ code: 'invalid-argument' });
      const none = sandbox.shell({ state: new TextEncoder().encode('{}\0/tmp\0\n') });
      await expect(none).rejects.toMatchObject({ code: 'invalid-argument' });
      await expect(sandbox.connection.shells.save({ id: 'none' })).rejects.toMatchObject({
        code: 'not-found',
      });
    });

    test('S-3 what is too much is refused, or not kept, and said', async () => {
      await expect(sandbox.shell({ cwd: '/none' })).rejects.toMatchObject({ code: 'not-found' });
      const shells = await Promise.all(Array.from({ length: limits.shells }, () => sandbox.shell()));
      await expect(sandbox.shell()).rejects.toMatchObject({ code: 'limit-exceeded' });
      const [shell] = shells;
      if (!shell) throw new Error('There is no shell');
      await Promise.all(shells.slice(1).map((each) => each.close()));
      await expect(shell.run('é'.repeat(limits.execArgumentBytes / 2 + 1))).rejects.toMatchObject({
        code: 'limit-exceeded',
      });
      const up = Promise.withResolvers<void>();
      const long = shell.run('echo up; sleep 5555', { onStdout: () => up.resolve(), timeoutMs: 60_000 });
      await up.promise;
      const waiting = Array.from({ length: limits.shellWaitingRuns }, () => shell.run('echo no'));
      await expect(shell.run('true')).rejects.toMatchObject({ code: 'busy' });
      await shell.close();
      await Promise.all([long, ...waiting]);
      await using large = await sandbox.shell();
      await large.run("SMALL=1; f() { echo f; }; LARGE=$(head -c 600000 /dev/zero | tr '\\0' x)");
      expect(await output(large, 'echo -n "$LARGE" | wc -c')).toBe('600000\n');
      expect(await large.info()).toMatchObject({ lost: ['variables'] });
      await large.run('unset LARGE');
      expect(await large.info()).toMatchObject({ lost: [] });
    });

    test('S-3 H-5 a checkout brings back the shells of then', async () => {
      await using shell = await sandbox.shell({ cwd: '/usr' });
      const first = await sandbox.createSnapshot({ label: 'first' });
      await shell.run('NAME=then; cd /tmp; f() { echo "f $NAME"; }');
      const then = await sandbox.createSnapshot({ label: 'then', ifChanged: true });
      expect(then.id).not.toBe(first.id);
      await shell.run('NAME=now; cd /; unset -f f');
      await using later = await sandbox.shell();
      await later.run('NAME=later');
      const up = Promise.withResolvers<void>();
      const long = shell.run('echo up; sleep 5555', { onStdout: () => up.resolve() });
      await up.promise;
      const { previousHead } = await sandbox.checkout(then.id);
      expect(await long).toMatchObject({ reason: 'checkout' });
      expect(await output(shell, 'f; pwd; history')).toMatch(
        /^f then\n\/tmp\n +1 .*\n +2 +f; pwd; history\n$/,
      );
      expect(await output(later, 'echo "[$NAME]"')).toBe('[]\n');
      await sandbox.checkout(previousHead);
      expect(await output(shell, 'echo "$NAME"; pwd; f 2>/dev/null || echo no')).toBe('now\n/\nno\n');
      expect(await output(later, 'echo "$NAME"')).toBe('later\n');
      await sandbox.checkout(first.id);
      expect(await output(shell, 'echo "[$NAME]"; pwd')).toBe('[]\n/usr\n');
      await sandbox.checkout(previousHead);
    });
  });
}

async function output(shell: Shell, command: string): Promise<string> {
  const { stdout, stderr } = await shell.run(command);
  return stdout + stderr;
}

/** Bash's messages name the line of its input, of which a new one has read less. */
function withoutLines(text: string): string {
  return text.replaceAll(/line \d+/g, 'line');
}
