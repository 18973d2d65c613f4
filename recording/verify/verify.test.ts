import { describe, expect, test } from 'vitest';
import type { RecordingEvent } from '../format/recording-event.ts';
import { compareStep, compareTree, levelOf } from './compare-step.ts';
import { type RecordedStep, recordedSteps } from './recorded-steps.ts';
import { stepSnapshots } from './step-snapshots.ts';

const output = (data: string): RecordingEvent => ({ type: 'output', terminal: 1, data });
const digests = { stdout: 'a'.repeat(64), stderr: 'b'.repeat(64) };

async function stepsOf(events: readonly RecordingEvent[]): Promise<RecordedStep[]> {
  const steps: RecordedStep[] = [];
  const timed = (async function* () {
    for (const [at, event] of events.entries()) yield { at, event };
  })();
  for await (const step of recordedSteps(timed, stepSnapshots(events))) steps.push(step);
  return steps;
}

const changes = { created: 1, modified: 0, deleted: 0, paths: [] };
const snapshot = (id: string, label = ''): RecordingEvent => ({
  ...{ type: 'snapshot', id, parents: [], label, changes, takenAtMs: 0 },
});
const command = { type: 'command', by: 'exec', terminal: 1, cwd: '/work' } as const;

test('a command has what each stream printed, without its prompt, and the last snapshot before the next', async () => {
  const steps = await stepsOf([
    snapshot('before'),
    { ...command, command: 1, text: 'make', argv: ['make'] },
    output('\u001b[0;1m$\u001b[0m make\r\n'),
    output('one\r\ntwo'),
    { type: 'source', command: 1, stream: 'stderr' },
    output('wrong\r\n'),
    { type: 'command-end', command: 1, exitCode: 2, durationMs: 5, output: { ...digests, sizeBytes: 9 } },
    output('of nobody'),
    snapshot('first'),
    snapshot('second'),
    { ...command, command: 2, text: 'sleep 9' },
    snapshot('late', 'make'),
    snapshot('of-this-one', 'sleep 9'),
  ]);
  expect(steps).toMatchObject([
    {
      command: 1,
      exitCode: 2,
      stdout: 'one\ntwo',
      stderr: 'wrong\n',
      cwd: '/work',
      snapshot: 'second',
      digests,
    },
    { command: 2, exitCode: undefined, stdout: '', snapshot: undefined, during: 'late' },
  ]);
});

test('a command that is shown piece by piece, as somebody types it, is no output; its step says where the session went before', async () => {
  const text = "cat <<'END'\nin\nEND";
  const typed = [..."cat <<'END'", '\r', '\n', ...'> in', '\r\n> ', ...'END'];
  const steps = await stepsOf([
    ...[
      snapshot('before'),
      { type: 'head', id: 'before' } as const,
      { ...command, command: 1, text: 'true' } as const,
    ],
    ...[{ type: 'command-end', command: 1, exitCode: 0, durationMs: 1 } as const],
    { type: 'head', id: 'before' },
    { ...command, command: 2, text },
    ...['\u001b[0;1m$\u001b[0m ', ...typed, '\r\n', 'in\r\n'].map(output),
    { type: 'command-end', command: 2, exitCode: 0, durationMs: 1 },
    { ...command, command: 3, text: 'true' },
  ]);
  expect(steps.map(({ from, stdout }) => [from, stdout])).toEqual([
    [undefined, ''],
    ['before', 'in\n'],
    [undefined, ''],
  ]);
});

test('a snapshot that HEAD moves to as it comes is of no command', () => {
  const found = stepSnapshots([
    { ...command, command: 1, text: 'make' },
    { type: 'command-end', command: 1, exitCode: 0, durationMs: 1 },
    ...[
      snapshot('of-make', 'make'),
      snapshot('of-the-winner', 'sed'),
      { type: 'head', id: 'of-the-winner' } as const,
    ],
    { type: 'head', id: 'of-make' },
  ]);
  expect([...found.after]).toEqual([[1, 'of-make']]);
});

test('a snapshot that comes just before its command ends is of it, unless a later one is', () => {
  const begin = (number: number, text: string): RecordingEvent => ({ ...command, command: number, text });
  const end = (number: number): RecordingEvent => ({
    ...{ type: 'command-end', command: number, exitCode: 0, durationMs: 1 },
  });
  const found = stepSnapshots([
    ...[begin(1, 'make'), snapshot('amid-make', 'make'), end(1)],
    ...[begin(2, 'cc'), snapshot('amid-cc', 'cc'), end(2), begin(3, 'ls'), snapshot('of-cc', 'cc'), end(3)],
    ...[begin(4, 'ld'), snapshot('amid-ld', 'ld'), begin(5, 'ls -l'), end(4), end(5)],
    ...[begin(6, 'sleep'), snapshot('amid-sleep', 'sleep')],
  ]);
  expect([...found.after]).toEqual([[1, 'amid-make']]);
});

test('a snapshot that comes after further commands is of the one that its label names, unless it fits several', () => {
  const begin = (number: number, text: string): RecordingEvent => ({ ...command, command: number, text });
  const end = (number: number): RecordingEvent => ({
    ...{ type: 'command-end', command: number, exitCode: 0, durationMs: 1 },
  });
  const found = stepSnapshots([
    ...[begin(1, 'make'), end(1), begin(2, 'date'), end(2), begin(3, 'cat a')],
    snapshot('of-make', 'make'),
    ...[end(3), begin(4, 'touch b'), end(4), begin(5, 'date'), end(5)],
    ...[snapshot('of-touch', 'touch b'), snapshot('of-all', 'good')],
    ...[begin(6, 'make'), end(6), begin(7, 'make'), end(7), begin(8, 'date')],
    ...[snapshot('of-either', 'make'), snapshot('of-what-runs', 'date'), end(8)],
  ]);
  expect([...found.during]).toEqual([
    [2, 'of-make'],
    [5, 'of-touch'],
  ]);
  expect([...found.after]).toEqual([[5, 'of-all']]);
  expect([...found.named]).toEqual([
    [1, 'of-make'],
    [4, 'of-touch'],
  ]);
});

describe('P-4 the ladder', () => {
  const step = (parts: Partial<RecordedStep>): RecordedStep => ({
    ...{
      command: 1,
      at: 0,
      text: 'x',
      argv: undefined,
      cwd: undefined,
      user: undefined,
      by: 'exec',
      terminal: 1,
      from: undefined,
    },
    ...{
      exitCode: 0,
      stdout: '',
      stderr: '',
      digests: undefined,
      snapshot: undefined,
      during: undefined,
      named: undefined,
    },
    ...parts,
  });
  const ran = (stdout: string, exitCode = 0) => ({ exitCode, stdout, stderr: '', digests });

  test.each([
    ['exact', 'the same\n', 'the same\n'],
    ['minor', 'done in 0.12s at 12:00:01\n', 'done in 3.4s at 23:59:59\n'],
    ['minor', 'Sat Nov 28 18:27:01 UTC 2026\n', 'Sun Nov 29 01:02:03 UTC 2026\n'],
    ['minor', '-rw-r--r-- 1 root root 5 Nov 28 18:27 a\n', '-rw-r--r-- 1 root root 5 Dec  3 09:00 a\n'],
    ['minor', '/bin/bash: line 50: ls: command not found\n', '/bin/bash: line 61: ls: command not found\n'],
    ['major', './check: line 50: bad\n', './check: line 61: bad\n'],
    ['minor', 'wrote /tmp/tmp.Ab3dE5gH7i\n', 'wrote /tmp/tmp.Zz9yX8wV7u\n'],
    ['minor', 'server[1234]: listening on localhost:40001\n', 'server[99]: listening on localhost:52011\n'],
    ['minor', 'token <secret:token:1a2b3c4d> ok\n', 'token ghp_something ok\n'],
    ['major', 'token <secret:token:1a2b3c4d> ok\n', 'token ghp_something failed\n'],
    ['major', '3 passing\n', '2 passing\n'],
    ['major', 'a\nb\n', 'a\n'],
    [
      'major',
      'id 3f786850e387550fdab836ed7e6dc881de23001b\n',
      'id 89e6c98d92887913cadf06b2adb97f26cde4849b\n',
    ],
  ])('%s: %j, then %j', (level, recorded, now) => {
    expect(levelOf(compareStep(step({ stdout: recorded }), ran(now)))).toBe(level);
  });

  test('the worst comes first, with the line; what is ignored is noise', () => {
    const differences = compareStep(
      step({ stdout: 'at 10:00:00\nbuild 17\n', exitCode: 1 }),
      ran('at 11:00:00\nbuild 18\n'),
    );
    expect(differences.map(({ level, what, line }) => [level, what, line])).toEqual([
      ['major', 'exit', undefined],
      ['major', 'stdout', 2],
      ['minor', 'stdout', 1],
    ]);
    const ignore = [/build \d+/g];
    expect(levelOf(compareStep(step({ stdout: 'build 17\n' }), ran('build 18\n'), { ignore }))).toBe('minor');
  });

  test('the digest decides where text could not be kept', () => {
    expect(compareStep(step({ stdout: '\ufffd', digests }), ran('another'))).toEqual([]);
  });

  test('files that differ are major, but for caches, logs and what only their times say', () => {
    const changes = [
      { type: 'modified', path: '/var/log/apt.log' },
      { type: 'metadata', path: '/repo/a' },
      { type: 'modified', path: '/repo/stamp', isNoise: true },
    ];
    expect(levelOf(compareTree(changes))).toBe('minor');
    expect(compareTree([...changes, { type: 'deleted', path: '/repo/out' }])[0]).toMatchObject({
      level: 'major',
      path: '/repo/out',
      now: 'deleted',
    });
  });
});
