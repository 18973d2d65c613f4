import { expect, test } from 'vitest';
import { reportText, runText, shellBuiltins, startOf } from './shell-script.ts';

test('S-3 what a bash of a shell is told calls no built-ins but those that are named', () => {
  const state = { cwd: '/', script: '', history: [], lost: [] };
  const run = { number: 1, command: '', stdin: new Uint8Array(1), status: 2 };
  const text = [
    startOf(state, { mostBytes: 0 }).text,
    startOf(state, { mostBytes: 99 }).text,
    runText(run),
    reportText(1),
  ]
    .map((bytes) => String.fromCharCode(...bytes))
    .join('');
  const called = [...text.matchAll(/\\builtin (\S+?)[;)\s]/g)].map(([, name = '']) => name);
  expect([...new Set([...called, 'builtin', 'exec'])].sort()).toEqual([...shellBuiltins].sort());
});
