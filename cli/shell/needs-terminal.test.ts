import { expect, test } from 'vitest';
import { needsTerminal } from './needs-terminal.ts';

test('S-12 a program that is of no use without a terminal is known by its plain command line', () => {
  const needing = [
    'vim a.txt',
    ' less /etc/passwd ',
    'EDITOR=x LANG=C nano',
    '/usr/bin/top -d 1',
    'python3',
    'bash',
  ];
  expect(needing.map(needsTerminal)).toEqual(['vim', 'less', 'nano', 'top', 'python3', 'bash']);
  const others = [
    'ls | less',
    'top -b -n 1',
    'python3 a.py',
    'bash -c "echo 1"',
    'bash < script',
    'cat vim',
    'vim --version',
    'X=1',
    'constructor',
    '',
  ];
  expect(others.filter((command) => needsTerminal(command) !== undefined)).toEqual([]);
});
