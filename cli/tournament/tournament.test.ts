import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { CandidateReport } from '../../sdk/tournament/tournament-report.ts';
import { openTestCli } from '../test-context.ts';
import { showProgress } from './show-progress.ts';

test('R-9 coppice tournament makes the first candidate that passes HEAD, says so, and leaves nothing of the others', async () => {
  await using cli = await openTestCli();
  const { code, stdout, stderr } = await cli.run(
    // The third begins when the second has ended, as the first never does.
    ...['tournament', '--jobs', '2', '--test', 'grep -qx 3 value', '--report', 'report.md', '--'],
    ...['echo 1 > value; sleep 600', 'echo 2 > value', 'echo 3 > value'],
  );
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^- {2}1 .*cancelled .*\nx {2}2 {2}echo 2 > value +failed +\d+ ms +the test exited with 1\n\* {2}3 {2}echo 3 > value +won .*its test passed first\ncandidate 3 won: [0-9a-f]+ is HEAD\nback again: coppice checkout [0-9a-f]+\n$/,
    ),
  });
  expect(stderr).toContain('candidate 2 failed: the test exited with 1 (echo 2 > value)\n');
  expect(await readFile(join(cli.folder, 'report.md'), 'utf8')).toContain('Candidate 3 won');
  expect(await Sandbox.list({ backend: cli.backend })).toHaveLength(1);
  expect((await cli.run('exec', '--', 'cat', '/home/user/value')).stdout).toBe('3\n');
  const back = /coppice checkout (\S+)/.exec(stdout)?.[1] ?? '';
  expect((await cli.run('checkout', back)).code).toBe(0);
  expect((await cli.run('exec', '--', 'cat', '/home/user/value')).code).toBe(1);
});

test('R-9 it ends with 1 where nobody wins, and JSON says why of each', async () => {
  await using cli = await openTestCli();
  const run = await cli.run('tournament', '--json', '--test', 'false', '--', 'true', 'exit 4');
  expect(run.code).toBe(1);
  const { candidates, winner } = JSON.parse(run.stdout);
  expect(winner).toBeUndefined();
  expect(candidates).toMatchObject([
    { state: 'failed', why: 'the test exited with 1' },
    { state: 'failed', why: 'the command exited with 4' },
  ]);
});

test('R-9 candidates come from a file of lines or JSON, or from standard input; the best becomes a tag', async () => {
  await using cli = await openTestCli();
  const rest = ['--test', 'cat value', '--judge', 'lowest:\\d+', '--quiet'];
  await writeFile(join(cli.folder, 'list.txt'), 'echo 5 > value\n\n  # echo 1 > value\necho 4 > value\n');
  const lines = await cli.run('tournament', ...rest, '--file', 'list.txt', '--keep', 'tag:low');
  expect(lines).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/is tagged low\n$/) });
  expect(lines.stdout).not.toContain('#');
  await writeFile(
    join(cli.folder, 'list.json'),
    '["echo 9 > value", {"command": "echo 8 > value", "name": "eight"}]',
  );
  const json = await cli.run('tournament', ...rest, '--file', 'list.json', '--report', 'report.json');
  expect(json.stdout).toMatch(/\* {2}2 {2}eight +won .* 8 /);
  const report = JSON.parse(await readFile(join(cli.folder, 'report.json'), 'utf8'));
  expect(report.candidates[1]).toMatchObject({ name: 'eight', score: 8, test: { output: '8\n' } });
  const piped = cli.start('tournament', ...rest, '--keep', 'none', '-');
  piped.stdin.end('echo 7 > value\necho 6 > value\n');
  expect(await piped.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/candidate 2 won\n$/) });
});

test('R-9 what is interrupted ends with 130, and leaves no sandbox of a candidate', async () => {
  await using cli = await openTestCli();
  const run = cli.start(
    'tournament',
    '--test',
    'false',
    '--jobs',
    '2',
    '--',
    'exit 1',
    'sleep 600',
    'sleep 600',
  );
  await run.says('candidate 1 failed', 'stderr');
  run.signal('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect(await Sandbox.list({ backend: cli.backend })).toHaveLength(1);
});

test.each<[string[], string]>([
  [['--'], 'without candidates: give one command or more'],
  [
    ['--keep', 'branch', '--', 'true'],
    '--keep is "branch", which is neither head, snapshot, none nor tag:NAME',
  ],
  [['--judge', 'best:(a+)+', '--', 'true'], 'Cannot judge by "best:(a+)+"'],
  [['--jobs', 'all', '--', 'true'], "option '--jobs <number>' argument 'all' is invalid"],
  [['--file', 'absent', '--', 'true'], 'Candidates come from --file or after --, not from both'],
  [['--file', 'absent'], 'Cannot read the candidates in '],
])('R-9 coppice tournament %j is refused with what to give instead', async (args, message) => {
  await using cli = await openTestCli();
  const { code, stderr } = await cli.run('tournament', '--test', 'true', ...args);
  expect(code).toBeGreaterThan(1);
  expect(stderr).toContain(message);
});

test('H-9 the table on a terminal is as wide and high as that, erases itself, and shows no control characters', () => {
  let text = '';
  const write = (piece: Buffer, _encoding: string, done: () => void): void => {
    text += piece.toString();
    done();
  };
  const stderr = Object.assign(new Writable({ write }), { isTTY: true, columns: 31, rows: 6 });
  const candidates = Array.from(
    { length: 20 },
    (_, index): CandidateReport => ({
      name: `\x1b[31mnumber ${index}`,
      command: 'true',
      state: index === 17 ? 'running' : 'waiting',
    }),
  );
  {
    using progress = showProgress({ stderr, environment: {} }, { isQuiet: false });
    progress.update(candidates);
  }
  const lines = text.split('\n');
  expect(lines.slice(0, 5)).toEqual([
    '·  1   \\x1b[31mnumber 0   wai…',
    '·  2   \\x1b[31mnumber 1   wai…',
    '·  3   \\x1b[31mnumber 2   wai…',
    '>  18  \\x1b[31mnumber 17  run…',
    'and 16 more',
  ]);
  expect(lines[5]).toBe('\x1b[5A\r\x1b[J');
});
