import { expect, test } from 'vitest';
import { loginShell } from '../protocol/sandbox/processes.ts';
import { parseShellContext, shellAt } from './shell-context.ts';

const say = (...records: string[]): string => records.map((record) => `${record}\0`).join('');

test('B-9 what a shell exports goes along, but nothing that every shell sets for itself', () => {
  const said = say(
    '/srv/a b',
    'HOME=/home/user',
    'PATH=/opt/bin:/bin',
    'CC=tcc -g',
    'LINES=\n=x',
    'SHLVL=2',
    'EMPTY=',
  );
  expect(parseShellContext(`${said}=`)).toEqual({
    cwd: '/srv/a b',
    envs: { PATH: '/opt/bin:/bin', CC: 'tcc -g', EMPTY: '' },
  });
});

test('H-9 what is no answer of a shell is a directory at most', () => {
  expect(parseShellContext('')).toEqual({ cwd: '/', envs: {} });
  expect(parseShellContext(say('/tmp', ''))).toEqual({ cwd: '/tmp', envs: {} });
  expect(parseShellContext(say('..', '', '=x', 'none', 'B=2'))).toEqual({ cwd: '/', envs: { B: '2' } });
});

test('S-6 more variables than a process can be given are left out', () => {
  const many = Array.from({ length: 100 }, (_, index) => `V${index}=${'x'.repeat(1_000)}`);
  const { envs } = parseShellContext(say('/', ...many));
  expect(Object.keys(envs)).toEqual(['V0', 'V1', 'V2', 'V3', 'V4', 'V5', 'V6', 'V7']);
});

test('a shell with variables of its own is no login, which would set them anew', () => {
  expect(shellAt({ cwd: '/srv', envs: {} })).toEqual({ command: loginShell, cwd: '/srv' });
  expect(shellAt({ cwd: '/srv', envs: { A: '1' } })).toEqual({
    command: ['/bin/bash'],
    cwd: '/srv',
    envs: { A: '1' },
  });
});
