import { describe, expect, test } from 'vitest';
import { type ErrorCode, errorTable } from '../../../protocol/errors.ts';
import type { Cause, ChangeSummary, Coverage } from '../../../tree/history/snapshot-record.ts';
import { adviseOn } from './describe-error.ts';
import {
  describeRan,
  describeSnapshot,
  explainCoverage,
  plainLine,
  spellCounts,
  summarizeCoverage,
} from './describe-snapshot.ts';
import { formatBytes } from './format-bytes.ts';
import { formatSeconds, relativeTime } from './relative-time.ts';

const none: ChangeSummary = { created: 0, modified: 0, deleted: 0, paths: [] };

describe('relativeTime', () => {
  const now = Date.UTC(2026, 5, 1, 12);
  test.each([
    [0, 'now'],
    [-60_000, 'now'],
    [4_999, 'now'],
    [12_000, '12 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '59 min'],
    [3 * 3_600_000, '3 h'],
    [6 * 86_400_000, '6 d'],
  ])('%i ms ago reads %s', (ageMs, text) => {
    expect(relativeTime(now - ageMs, now)).toBe(text);
  });

  test('after a week it is a date', () => {
    expect(relativeTime(now - 8 * 86_400_000, now)).toMatch(/24/);
  });
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KiB'],
  [6_501_171, '6.2 MiB'],
  [2_147_483_648, '2.0 GiB'],
])('%i bytes read %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('seconds have a digit below ten', () => {
  expect([formatSeconds(840), formatSeconds(9_940), formatSeconds(12_400)]).toEqual([
    '0.8 s',
    '9.9 s',
    '12 s',
  ]);
});

test('X-3 H-9 a command reads with its end and time, in one harmless line', () => {
  const ran = { command: 'npm test', by: 'exec', startedAtMs: 0 } as const;
  expect(describeRan({ ...ran, exitCode: 1, durationMs: 2_300 })).toBe('npm test · exit 1 in 2.3 s');
  expect(describeRan({ ...ran, signal: 'SIGKILL', durationMs: 12_000 })).toBe('npm test · SIGKILL in 12 s');
  expect(describeRan({ ...ran, command: 'a\n\u202eb' })).toBe('a b · still ran');
});

describe('describeSnapshot', () => {
  const named = (cause: Cause, changes = none): string => describeSnapshot({ cause, changes });

  test('R-3 a capture is called by its commands', () => {
    expect(named({ type: 'capture', commands: ['make', 'make test'] })).toBe('make ; make test');
  });

  test('R-3 without a command it is called by what it changed', () => {
    const changes = { created: 1, modified: 2, deleted: 0, paths: ['/a/main.c', '/b', '/c'] };
    expect(named({ type: 'capture', commands: [] }, changes)).toBe('main.c and 2 more');
    expect(named({ type: 'capture', commands: [] })).toBe('files changed');
  });

  test('the other causes have names of their own', () => {
    expect([
      named({ type: 'image', image: 'debian' }),
      named({ type: 'manual', label: 'before' }),
      named({ type: 'checkout', from: 'x' }),
      named({ type: 'fork', sandbox: 'x' }),
      named({ type: 'import', source: 'a.tar' }),
    ]).toEqual(['start · debian', 'before', 'before going back', 'start of this fork', 'imported · a.tar']);
  });

  test('H-9 control and direction characters of a sandbox never reach the page', () => {
    expect(plainLine('a\u001b[31m\u202eb\r\nc')).toBe('a [31m b c');
    expect(plainLine('x'.repeat(500)).length).toBe(200);
  });
});

test('H-6 coverage is one short line, and behind it what is held of each part and why the rest is not', () => {
  const coverage: Coverage = {
    files: { captured: true },
    memory: { captured: false, why: 'a disk snapshot' },
    processes: { captured: true },
    sockets: { captured: true },
    mounts: { captured: true },
  };
  expect(summarizeCoverage(coverage)).toBe('files; processes start anew');
  const partly = { ...coverage, files: { captured: false, why: 'two could not be read' } } as const;
  expect(summarizeCoverage(partly)).toBe('not every file (two could not be read); processes start anew');
  expect(explainCoverage(coverage)).toEqual([
    'files: yes',
    'memory: no, a disk snapshot',
    'processes: yes',
    'sockets: yes',
    'mounts: yes',
  ]);
});

test('H-7 coverage says what of a machine is new in whoever goes on from it', () => {
  const renewed = 'clock, \u202erandom numbers';
  const coverage: Coverage = {
    files: { captured: true },
    memory: { captured: true, renewed },
    processes: { captured: true },
    sockets: { captured: false, why: 'outside' },
    mounts: { captured: true },
  };
  expect(summarizeCoverage(coverage)).toBe('files and running processes');
  expect(explainCoverage(coverage)).toEqual([
    'files: yes',
    'memory: yes, but new: clock,  random numbers',
    'processes: yes',
    'sockets: no, outside',
    'mounts: yes',
  ]);
});

test('counts are spelled for those who listen', () => {
  expect(spellCounts({ ...none, created: 3, deleted: 1 })).toBe('3 created, 1 deleted');
  expect(spellCounts(none)).toBe('no files changed');
  expect(spellCounts({ ...none, paths: ['/new'] })).toBe('only directories changed');
});

test('every error code says what was lost and what to do', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { lost, advice } = adviseOn({ code, message: '', details: {} });
    expect([code, /\.$/.test(lost), /\.$/.test(advice)]).toEqual([code, true, true]);
  }
});
