import { expect, test } from 'vitest';
import { execFrame } from '../../protocol/init/exec-frame.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { shellBackend } from './shell-backend.ts';

const forever = 'while :; do :; done';

test.each([
  ['commands', 100, forever],
  ['loopIterations', 100, forever],
  ['loopIterations', 7, 'for i in 1 2 3; do (for j in 1 2 3; do :; done); done | cat; echo goes on'],
  ['commands', 20, 'f() { f | f; }; f 2>/dev/null'],
  ['callDepth', 50, 'f() { f; }; f'],
  ['hereDocumentBytes', 100, 'cat <<E\n$(seq 1000)\nE'],
] as const)('S-6 a limit of %s, here %s, ends a command and is named', async (name, number, script) => {
  const sandbox = await Sandbox.create({ backend: shellBackend() });
  const result = await sandbox.run(script, { limits: { [name]: number } });
  expect(result).toMatchObject({ exitCode: 126, reason: 'exited', limit: name });
  expect(result.stderr).not.toContain('internal');
  expect(await sandbox.run('for i in 1 2 3; do echo $i; done')).toMatchObject({ stdout: '1\n2\n3\n' });
});

test('S-6 a limit is none of the next run, and what stays within it runs', async () => {
  const sandbox = await Sandbox.create({ backend: shellBackend() });
  const limits = { commands: 12, loopIterations: 3, callDepth: 1, hereDocumentBytes: 2 };
  const script = 'f() { for i in 1 2 3; do echo $i; done; }; f; cat <<E\nx\nE';
  for (let run = 0; run < 2; run++)
    expect(await sandbox.run(script, { limits })).toMatchObject({ exitCode: 0, stdout: '1\n2\n3\nx\n' });
});

test('S-6 without a limit of its own, a function calls itself 900 times', async () => {
  const sandbox = await Sandbox.create({ backend: shellBackend() });
  const result = await sandbox.run('f() { (($1 > 0)) && f $(($1 - 1)) || echo done; }; f 900; f() { f; }; f');
  expect(result).toMatchObject({ stdout: 'done\n', exitCode: 126, limit: 'callDepth' });
});

test('S-6 limits that are no numbers of commands are refused, and all of them where programs run', async () => {
  const sandbox = await Sandbox.create({ backend: shellBackend() });
  for (const limits of [{ commands: 0 }, { commands: 1.5 }, { callDepth: 10_001 }, { other: 1 }]) {
    await expect(sandbox.run('true', { limits })).rejects.toMatchObject({ code: 'invalid-argument' });
  }
  expect(() => execFrame(1, { command: 'true', limits: { commands: 1 } })).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  );
});

test('S-2 processor time is that of a command and all that it starts, and not that of waiting', async () => {
  const sandbox = await Sandbox.create({ backend: shellBackend() });
  const busy = 'for ((i = 0; i < 20000; i++)); do :; done';
  const [computes, waits, starts] = [
    await sandbox.run(busy),
    await sandbox.run('sleep 0.5'),
    await sandbox.run(`(${busy}) | cat; seq 100000 | sort -r | tail -1`),
  ];
  expect(computes.cpuMs).toBeGreaterThan(0);
  expect(starts.cpuMs).toBeGreaterThan(0);
  expect(waits.cpuMs).toBeLessThan(computes.durationMs);
  expect(waits.cpuMs).toBeLessThan(waits.durationMs / 2);
});

test('S-2 S-3 each run of a shell has the processor time of its own', async () => {
  const sandbox = await Sandbox.create({ backend: shellBackend() });
  const shell = await sandbox.shell();
  const busy = await shell.run('for ((i = 0; i < 20000; i++)); do :; done');
  const idle = await shell.run('sleep 0.3');
  expect(busy.cpuMs).toBeGreaterThan(0);
  expect(idle.cpuMs).toBeLessThan(idle.durationMs / 2);
  const last = await shell.run('exit 3');
  expect(last).toMatchObject({ exitCode: 3 });
  expect(last.cpuMs).toBeLessThan(busy.cpuMs);
});
