import { expect, test } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openTestCli, type TestCli, type TestResult } from '../test-context.ts';
import { needsMore } from './needs-more.ts';

async function type(cli: TestCli, ...lines: readonly string[]): Promise<TestResult> {
  const run = cli.start('shell');
  run.stdin.end(lines.map((line) => `${line}\n`).join(''));
  return run.ended;
}

test('S-12 directory, variables and functions go on from line to line, and a command may have several', async () => {
  await using cli = await openTestCli();
  const result = await type(
    cli,
    'mkdir -p src; cd src; x=1',
    'f() {',
    '  echo "$PWD $x',
    'second"',
    '}',
    'f; cat <<END',
    'here $x',
    'END',
    '(exit 3)',
    'echo $?; false',
  );
  expect(result).toEqual({
    code: 1,
    stdout: '/home/user/src 1\nsecond\nhere 1\n3\n',
    stderr: '[exit 3]\n[exit 1]\n',
  });
  expect(await type(cli, 'cat src/none; exit', 'exit 5', 'echo no')).toMatchObject({ code: 5, stdout: '' });
});

test('S-12 %snapshot, %restore, %reset and %diff go back with the files and the state of the shell', async () => {
  await using cli = await openTestCli();
  const result = await type(
    cli,
    'echo one > a; x=1',
    '%snapshot good one',
    'echo two > a; x=2; rm -f b',
    '%diff',
    '%restore HEAD~none',
    '%log',
    'true',
  );
  expect(result.stdout).toMatch(/^\[\w+\] good one\nA {2}\/home\/user\/a\n/);
  expect(result.stderr).toContain('coppice: ');
  const id = /^\[(\w+)\]/.exec(result.stdout)?.[1] ?? expect.fail();
  const back = await type(
    cli,
    `%restore ${id}`,
    'cat a',
    '%restore -',
    'cat a',
    'echo 3 > a',
    '%reset',
    'cat a',
    '%wrong',
  );
  expect(back.stdout.split('\n').filter((line) => !line.startsWith('HEAD'))).toEqual([
    'one',
    'two',
    'two',
    '',
  ]);
  expect(back.stderr).toContain('%help');
});

test('S-12 %restore and %diff take the label that %snapshot has given', async () => {
  await using cli = await openTestCli();
  const result = await type(
    cli,
    'echo one > a',
    '%snapshot good one',
    'echo two > a',
    '%diff good one',
    '%restore good one',
    'cat a',
    '%snapshot good one',
    '%restore good one',
    '%restore none such',
  );
  expect(result.stdout).toMatch(/M {2}\/home\/user\/a\nHEAD is \w+ now: good one\..*\none\n/);
  expect(result.stderr).toMatch(/2 snapshots have the label good one, such as \w+, \w+: give an id/);
  expect(result.stderr).toContain('Cannot find snapshot "none such"');
});

test('S-12 %restore gives the variables of then back, %fork makes another sandbox, and no shell stays behind', async () => {
  await using cli = await openTestCli();
  const result = await type(
    cli,
    'x=before',
    '%reset',
    `echo "\${x-none}"`,
    '%restore -',
    'echo $x',
    '%fork second',
    '%help',
  );
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toMatch(/\nnone\nHEAD.*\nbefore\n/);
  expect(result.stdout).toContain('%snapshot [label]');
  expect((await cli.backend.list()).map(({ name }) => name)).toEqual(['default', 'second']);
  const [first] = await cli.backend.list();
  await using sandbox = await Sandbox.open(first?.id ?? expect.fail(), { backend: cli.backend });
  expect(await sandbox.shells()).toEqual([]);
});

test('S-12 an interrupt ends the command that runs, and the shell goes on', async () => {
  await using cli = await openTestCli();
  const run = cli.start('shell');
  run.stdin.write('x=kept\necho begun; sleep 60\n');
  await run.says('begun');
  run.signal('SIGINT');
  await run.says('exit', 'stderr');
  run.stdin.end('echo $x\n');
  expect((await run.ended).stdout).toBe('begun\nkept\n');
});

test('S-12 a line goes on where bash would wait for more', () => {
  const open = [
    'if true',
    'echo "a',
    "echo 'a",
    'cat <<E',
    'a |',
    'a &&',
    'echo a\\',
    '(',
    'x=$(',
    'case a in',
  ];
  const whole = ['echo a', 'echo a\\\\', 'done', 'cat <<E\na\nE', 'a &', '# "', ''];
  expect(open.filter((text) => !needsMore(text))).toEqual([]);
  expect(whole.filter(needsMore)).toEqual([]);
});
