import { afterAll, beforeAll, expect } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { mostHeldBytes } from '../../held-bytes.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

const mebibyte = 1_048_576;

/** Processes of a sandbox, whatever runs it. */
export function processesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('processes of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    const countOf = async (program: string) =>
      (await sandbox.run(['pgrep', '-fc', `${program}$`])).stdout.trim();

    test('S-10 a background command answers at once, streams, and is killed with its children', async () => {
      const lines: string[] = [];
      const first = Promise.withResolvers<void>();
      const child = "sh -c 'echo started; sleep 3333; :' child-3333";
      const command = await sandbox.commands.run(`${child} & wait`, {
        background: true,
        onStdout: (text) => {
          lines.push(text);
          first.resolve();
        },
      });
      await first.promise;
      expect(command.pid).toBeGreaterThan(1);
      expect(await countOf('child-3333')).toBe('1');
      await command.kill();
      expect(await command.wait()).toMatchObject({ signal: 'SIGKILL', stdout: 'started\n' });
      expect(lines.join('')).toBe('started\n');
      expect(await countOf('3333')).toBe('0');
    });

    test('S-6 H-8 a command that takes too long or that nobody wants any more is killed, and says why', async () => {
      const late = await sandbox.run(['sleep', '1000'], { timeoutMs: 100 });
      expect(late).toMatchObject({ reason: 'timeout', signal: 'SIGKILL' });
      const abort = new AbortController();
      const started = Promise.withResolvers<void>();
      const unwanted = sandbox.run('echo started; sleep 1000; echo ended > ~/ended', {
        signal: abort.signal,
        onStdout: () => started.resolve(),
      });
      await started.promise;
      abort.abort();
      await expect(unwanted).rejects.toMatchObject({ code: 'aborted' });
      expect(await sandbox.files.exists('/home/user/ended')).toBe(false);
    });

    test('S-10 standard input is streamed and ended', async () => {
      let answered = Promise.withResolvers<string>();
      const command = await sandbox.commands.run('while read -r line; do echo "got $line"; done; echo end', {
        background: true,
        stdin: true,
        onStdout: (text) => answered.resolve(text),
      });
      for (const word of ['one', 'two']) {
        answered = Promise.withResolvers();
        await command.sendStdin(`${word}\n`);
        expect(await answered.promise).toBe(`got ${word}\n`);
      }
      await command.closeStdin();
      expect((await command.wait()).stdout).toBe('got one\ngot two\nend\n');
    });

    test('S-10 text is UTF-8 to programs, unless a command asks for another locale', async () => {
      const command = "printf 'é世😀' | wc -m; echo $LANG";
      expect((await sandbox.run(command)).stdout).toBe('3\nC.UTF-8\n');
      expect((await sandbox.run(command, { envs: { LANG: 'C' } })).stdout).toBe('9\nC\n');
    });

    test('S-10 a megabyte goes in and comes out unchanged', async () => {
      const text = 'All work and no play. '.repeat(50_000);
      const { stdout } = await sandbox.run(['cat'], { stdin: text });
      expect(stdout === text).toBe(true);
    });

    test('S-10 many commands at once keep their output apart', async () => {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          sandbox.run(`echo out-${index}; echo err-${index} >&2; exit ${index}`),
        ),
      );
      expect(results.map(({ stdout, stderr, exitCode }) => [stdout, stderr, exitCode])).toEqual(
        results.map((_, index) => [`out-${index}\n`, `err-${index}\n`, index]),
      );
    });

    test('1 GB of output to a reader that does not read stays in the guest', async () => {
      let receivedBytes = 0;
      const held = Promise.withResolvers<void>();
      const flowing = Promise.withResolvers<void>();
      const command = await sandbox.commands.run(['head', '-c', '1000000000', '/dev/zero'], {
        background: true,
        onStdout: (text) => {
          receivedBytes += text.length;
          flowing.resolve();
          return held.promise;
        },
      });
      await flowing.promise;
      // The guest has time to send whatever it may: other commands run meanwhile.
      for (let round = 0; round < 3; round++) await sandbox.run('true');
      expect(receivedBytes).toBeLessThanOrEqual(limits.streamWindowBytes);
      await command.kill();
      held.resolve();
      expect((await command.wait()).signal).toBe('SIGKILL');
    });

    test('64 MB of output: the first 8 MiB are kept, the rest is counted, memory is bounded', async () => {
      // What a first look at the files holds is there before.
      await sandbox.history.head();
      const heldBytes = await mostHeldBytes(async () => {
        const result = await sandbox.run(['head', '-c', '64000000', '/dev/zero']);
        expect(result.stdout.length).toBe(limits.resultOutputBytes);
        expect(result.droppedBytes).toBe(64_000_000 - limits.resultOutputBytes);
      });
      expect(heldBytes).toBeLessThan(40 * mebibyte);
    });

    test('H-8 aborting a command rejects it and leaves nothing of it behind', async () => {
      const abort = new AbortController();
      const started = Promise.withResolvers<void>();
      const result = sandbox.run('echo started; sleep 4444 & sleep 4444', {
        signal: abort.signal,
        onStdout: () => started.resolve(),
      });
      await started.promise;
      abort.abort();
      await expect(result).rejects.toMatchObject({ code: 'aborted' });
      await expect.poll(() => countOf('sleep 4444'), { timeout: 60_000 }).toBe('0');
      await expect(sandbox.run('true', { signal: abort.signal })).rejects.toMatchObject({ code: 'aborted' });
    });

    test('I-6 orphans are reaped: none is left as a zombie', async () => {
      await sandbox.run('for i in $(seq 20); do (setsid sleep 0.01 &); done');
      const zombies = async () => (await sandbox.run('ps -eo stat= | grep -c Z')).stdout;
      await expect.poll(zombies, { timeout: 60_000 }).toBe('0\n');
    });

    test('I-6 how a command ended is told: code, signal, cpu time and memory', async () => {
      expect(await sandbox.run('kill -TERM $$')).toMatchObject({
        exitCode: 143,
        signal: 'SIGTERM',
        reason: 'signalled',
      });
      const busy = await sandbox.run('for ((i = 0; i < 3000; i++)); do :; done');
      expect(busy.cpuMs).toBeGreaterThan(0);
      expect(busy.cpuMs).toBeLessThanOrEqual(busy.durationMs + 20);
      expect(busy.maxRssBytes).toBeGreaterThan(mebibyte);
    });

    test('S-10 a command gets its directory and environment; what does not exist is told by name', async () => {
      const { stdout } = await sandbox.run('pwd; echo $NAME', { cwd: '/usr/lib', envs: { NAME: 'a value' } });
      expect(stdout).toBe('/usr/lib\na value\n');
      await expect(sandbox.run('true', { cwd: '/none' })).rejects.toMatchObject({ code: 'not-found' });
      await expect(sandbox.run(['/none/program'])).rejects.toMatchObject({ code: 'not-found' });
      await expect(sandbox.run(['echo', 'x'.repeat(limits.execArgumentBytes)])).rejects.toMatchObject({
        code: 'limit-exceeded',
      });
    });
  });

  const alone = tests.alone('the list of processes');
  alone(
    'O-8 H-9 tells what runs, whose it is and what it takes, without a trace in the history',
    async () => {
      await using sandbox = await openSandbox();
      const command = ['/bin/bash', '-c', 'sleep 1000 & echo up; wait', 'a\u001b[2Jb', 'two words'];
      const up = Promise.withResolvers<void>();
      const shell = await sandbox.commands.run(command, {
        background: true,
        user: 'root',
        onStdout: () => up.resolve(),
      });
      await up.promise;
      const { processes, isComplete } = await sandbox.processes();
      expect(isComplete).toBe(true);
      const found = processes.find(({ pid }) => pid === shell.pid);
      expect(found).toMatchObject({ user: 'root', state: 'sleeping' });
      expect(found?.command).toEqual([...command.slice(0, 3), 'a?[2Jb', 'two words']);
      expect(found?.residentBytes).toBeGreaterThan(100_000);
      const child = processes.find(({ parentPid }) => parentPid === shell.pid);
      expect(child?.command).toEqual(['sleep', '1000']);
      expect(processes.filter(({ command: [, , third] }) => third?.includes('/etc/passwd'))).toEqual([]);
      await shell.kill();
      expect((await shell.wait()).files.created).toEqual([]);
      expect((await sandbox.processes()).processes.map(({ pid }) => pid)).not.toContain(shell.pid);
      expect(JSON.stringify((await sandbox.history.get()).snapshots)).not.toContain('/etc/passwd');
    },
  );
}
