import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SandboxError } from '../protocol/errors.ts';
import { Sandbox } from '../sdk/sandbox.ts';
import { CliExit } from './cli-exit.ts';
import { openTestCli } from './test-context.ts';

test('O-11 a command that does not exist is refused with the nearest one, and exit code 2', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const refused = await cli.run('docter');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('Did you mean doctor?');
});

test('H-8 with --json an error is one object on standard error, whoever has found it', async () => {
  await using cli = await openTestCli();
  const unknown = await cli.run('log', '--sandbox', 'none', '--json');
  expect({ ...unknown, stderr: JSON.parse(unknown.stderr) }).toMatchObject({
    code: 3,
    stdout: '',
    stderr: { error: { code: 'not-found', message: expect.stringContaining('there are default') } },
  });
  const misspelt = await cli.run('log', '--jsn', '--json');
  expect(misspelt.code).toBe(2);
  expect(JSON.parse(misspelt.stderr)).toMatchObject({ error: { code: 'invalid-argument' } });
});

test('H-9 an error shows what names hide, and is no trace of ours where the system has refused', async () => {
  await using cli = await openTestCli();
  await (await Sandbox.create({ backend: cli.backend, name: '\x1b]0;pwned\x07' })).close();
  const unknown = await cli.run('log', '--sandbox', 'none');
  expect(unknown.stderr).toContain('\\x1b]0;pwned\\x07');
  expect(unknown.stderr).not.toContain('\x1b');
  await writeFile(join(cli.folder, '.claude'), 'no directory');
  const refused = await cli.run('wrap', 'claude', '--write');
  expect(refused.stderr).toMatch(/^coppice: ENOTDIR[^\n]*\n$/);
});

test('options that a command cannot follow are not offered, and are refused by name', async () => {
  await using cli = await openTestCli();
  for (const [line, option, says] of [
    [['ctl', 'status'], '--bridge', 'leave out --bridge'],
    [['daemon'], '--bridge', 'leave out --bridge'],
  ] as const) {
    expect((await cli.run(...line, '--help')).stdout).not.toContain(option);
    const refused = await cli.run(...line, option, 'x');
    expect(refused.stderr).toContain(says);
  }
  expect((await cli.run('run', '--pids', '0.5', 'true')).stderr).toMatch(
    /--pids .*'0.5' .*a whole number above 0/,
  );
  expect(await cli.run('exec', '--cwd', 'src', '--', 'true')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--cwd .*'src' .*an absolute path/),
  });
  expect((await cli.run('run', '--isolation', 'x', 'true')).stderr).toContain('auto, namespace, landlock');
});

test('S-3 exec --json passes standard input on', async () => {
  await using cli = await openTestCli();
  const run = cli.start(
    'exec',
    '--json',
    '--cwd',
    '/tmp',
    '--env',
    'A=1',
    '--',
    'bash',
    '-c',
    'cat; pwd; echo $A',
  );
  run.stdin.end('given\n');
  const { code, stdout } = await run.ended;
  expect({ code, said: JSON.parse(stdout).stdout }).toEqual({ code: 0, said: 'given\n/tmp\n1\n' });
});

test('--version, help of a command, and what exit codes say', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  expect((await cli.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const [asked, flagged] = [await cli.run('help', 'doctor'), await cli.run('doctor', '--help')];
  expect(flagged.code).toBe(0);
  expect(flagged.stdout).toContain('Examples:\n  coppice doctor ');
  expect(flagged.stdout).toContain(asked.stdout);
  expect((await cli.run('help', 'exit-codes')).stdout).toContain('124  timeout\n');
  expect(await cli.run('help', 'nothing')).toMatchObject({ code: 3 });
});

test('without a command there is help on standard error, and exit code 2', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const nothing = await cli.run();
  expect(nothing).toMatchObject({ code: 2, stdout: '' });
  expect(nothing.stderr).toContain('Usage: coppice');
});

test('a shell completes commands, options, choices, names of sandboxes and tags, and leaves files to itself', async () => {
  await using cli = await openTestCli();
  const words = async (...typed: string[]) =>
    (await cli.run('complete', '--', ...typed)).stdout
      .split('\n')
      .map((line) => line.split('\t')[0])
      .filter((word) => word !== '');
  expect(await words('doc')).toEqual(['doctor']);
  expect(await words('log', '--sand')).toEqual(['--sandbox']);
  expect(await words('log', '-s', '')).toEqual(['default']);
  expect(await words('log', '--sandbox', 'x')).toEqual([]);
  expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await words('doctor', '--root', '')).toEqual([':files']);
});

test('the scripts of completion are for the shells that they are named after', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const marks = { bash: 'complete -F', zsh: 'compdef', fish: 'complete -c' };
  for (const [shell, mark] of Object.entries(marks)) {
    expect((await cli.run('completion', shell)).stdout).toContain(mark);
  }
  expect((await cli.run('completion', 'tcsh')).code).toBe(2);
});

test('the manual page has every command, and no request that roff does not know', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const { stdout } = await cli.run('man');
  for (const name of ['run', 'log', 'doctor', 'bridge']) expect(stdout).toContain(`\n.SS coppice ${name} `);
  const known = ['TH', 'SH', 'SS', 'TP', 'PP', 'B', 'I', 'RS', 'RE', 'nf', 'fi'];
  const requests = [...stdout.matchAll(/^[.'](\S*)/gm)].map(([, request = '']) => request);
  expect(requests.filter((request) => !known.includes(request))).toEqual([]);
});

test('exec gives a program a terminal where one is asked for, and by default where there is one', async () => {
  await using cli = await openTestCli();
  const script = 'if [ -t 1 ]; then echo a terminal; else echo a pipe; fi';
  const asked = await cli.run('exec', '--tty', '--', 'bash', '-c', script);
  expect(asked).toMatchObject({ code: 0, stdout: 'a terminal\r\n' });
  expect((await cli.run('exec', '--', 'bash', '-c', script)).stdout).toBe('a pipe\n');
});

test('R-4 H-8 a command tells why it failed and what could not be let go of, and ends with its own exit code', async () => {
  const letGo = async () => {
    throw new SandboxError('storage-full', 'The last changes are lost');
  };
  await using cli = await openTestCli({ letGo });
  const unknown = await cli.run('delete', 'nosuch');
  expect(unknown).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/nosuch[^\n]*\ncoppice: The last changes are lost\n$/),
  });
  expect(await cli.run('exec', '--', 'sh', '-c', 'exit 5')).toMatchObject({ code: 5 });
  expect(await cli.run('exec', '--', 'true')).toMatchObject({
    code: 8,
    stderr: 'coppice: The last changes are lost\n',
  });
  const both = new SuppressedError(
    new Error('other'),
    new SuppressedError(new Error('first'), new CliExit(7)),
  );
  await using twice = await openTestCli({ letGo: () => Promise.reject(both) });
  expect(await twice.run('exec', '--', 'true')).toMatchObject({ code: 7 });
});
