import { describe, expect, test } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { sampleInfo } from '../../test/fixtures/wire-backend.ts';
import type { CommandResult } from '../commands.ts';
import type { NamedPlace } from './place.ts';
import { describeTrouble, findTrouble, mayHelp, type Trouble } from './trouble.ts';

type Ended = Pick<CommandResult, 'exitCode' | 'reason' | 'limit' | 'stderr' | 'missing'>;

function ended(exitCode: number, stderr = '', rest: Partial<Ended> = {}): Ended {
  return { exitCode, stderr, reason: 'exited', ...rest };
}

const backend = shellBackend();
const shell: NamedPlace = { name: 'shell', backend, runtime: 'shell' };
const tab: NamedPlace = { name: 'tab', backend, runtime: 'v86' };
const rack: NamedPlace = { name: 'rack', backend, runtime: 'jail' };

describe('B-8 trouble of a command', () => {
  test.each([
    ['bash: line 1: gcc: command not found', 'gcc'],
    ['./build.sh: line 30: python3: command not found\n', 'python3'],
    ['sh: 1: node: not found\n', 'node'],
    ['warning: x\n/usr/bin/env: \u2018ruby\u2019: No such file or directory\n', 'ruby'],
    ["env: 'ruby': No such file or directory\n", 'ruby'],
    ['bash: line 2: ./a: /usr/bin/perl: bad interpreter: No such file or directory\n', '/usr/bin/perl'],
    ['bash: line 1: /usr/bin/perl: No such file or directory\n', '/usr/bin/perl'],
    ['xargs: perl: No such file or directory\n', 'perl'],
    [`bash: one: command not found\n${'x'.repeat(2_000)}\nbash: two: command not found\n`, 'two'],
  ])('is a missing program where a shell says so: %j', (stderr, program) => {
    expect(findTrouble(ended(127, stderr))).toEqual({ type: 'program', program });
  });

  test.each([
    ['bash: line 1: python3: command not found\nbash: line 2: cd: no\n', 'python3'],
    ['make: python3: No such file or directory\nmake: *** [Makefile:2: all] Error 127\n', 'python3'],
    ['sh: 1: node: not found\nmake[1]: *** [Makefile:2: all] Error 127\n', 'node'],
  ])('is one that a failing command was missing for what called it: %j', (stderr, program) => {
    expect(findTrouble(ended(2, stderr))).toEqual({ type: 'program', program });
    expect(findTrouble(ended(0, stderr))).toBeUndefined();
    expect(findTrouble(ended(0, stderr), { sought: program })).toEqual({ type: 'program', program });
  });

  test('is a program that the shell did not find, whatever the exit code is', () => {
    expect(findTrouble(ended(0, '', { missing: ['one', 'two'] }))).toEqual({
      type: 'program',
      program: 'one',
    });
    expect(findTrouble(ended(137, '', { missing: ['one'], reason: 'killed' }))).toBeUndefined();
  });

  test('is how it was ended, and a timeout only where it may run again', () => {
    expect(findTrouble(ended(126, 'bash: ./a: cannot execute binary file: Exec format error'))).toEqual({
      type: 'format',
    });
    expect(findTrouble(ended(137, '', { reason: 'out-of-memory' }))).toEqual({ type: 'memory' });
    expect(findTrouble(ended(137, '', { reason: 'disk-limit' }))).toEqual({ type: 'disk' });
    const late = ended(137, '', { reason: 'timeout', limit: 'time' });
    expect([findTrouble(late), findTrouble(late, { movesOnTimeout: true })]).toEqual([
      undefined,
      { type: 'time' },
    ]);
    expect(findTrouble(ended(1, '', { limit: 'depth' }))).toEqual({ type: 'limit', limit: 'depth' });
  });

  test.each([
    ended(0, 'bash: gcc: command not found'),
    ended(1, 'bash: gcc: command not found'),
    ended(127, 'a program that ends with 127'),
    ended(127, 'bash: line 1: ./missing: No such file or directory'),
    ended(126, 'bash: ./a: Permission denied'),
    ended(127, 'bash: \u001b]0;x\u0007gcc: command not found'),
    ended(127, "env: '\u202egcc': No such file or directory"),
    ended(137, '', { reason: 'killed' }),
  ])('H-9 is none of other ends: %o', (result) => {
    expect(findTrouble(result)).toBeUndefined();
  });

  test('is met elsewhere only where something is different there', () => {
    const machine = { ...sampleInfo, runtime: 'v86', image: 'debian', memoryMiB: 512 } as const;
    const helps = (trouble: Trouble, from: NamedPlace, to: NamedPlace, info = sampleInfo) =>
      mayHelp(trouble, { from, to, info });
    const program = { type: 'program', program: 'gcc' } as const;
    expect(helps(program, shell, tab, { ...sampleInfo, image: '' })).toBe(true);
    expect(helps(program, tab, rack, machine)).toBe(false);
    expect(helps(program, tab, { ...rack, image: 'other' }, machine)).toBe(true);
    expect([helps({ type: 'format' }, shell, tab), helps({ type: 'format' }, tab, rack)]).toEqual([
      true,
      true,
    ]);
    expect(helps({ type: 'format' }, tab, { ...tab, name: 'other' })).toBe(false);
    expect(helps({ type: 'memory' }, tab, { ...rack, memoryMiB: 512 }, machine)).toBe(false);
    expect(helps({ type: 'memory' }, tab, rack, machine)).toBe(true);
    expect([helps({ type: 'time' }, shell, tab), helps({ type: 'time' }, shell, rack)]).toEqual([
      false,
      true,
    ]);
    expect(helps({ type: 'limit', limit: 'depth' }, shell, tab)).toBe(true);
  });

  test('is said in one sentence, whatever it names', () => {
    const program = findTrouble(ended(127, `bash: ${'x'.repeat(500)}: command not found`));
    expect(program && describeTrouble(program, shell)).toBe(`shell has no ${'x'.repeat(64)}`);
    expect(describeTrouble({ type: 'limit', limit: 'depth' }, shell)).toBe('it met a limit of shell (depth)');
  });
});
