import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgramWorker } from '../../shell/node/start-program-worker.ts';
import { createPrograms } from '../../shell/programs/create-programs.ts';

test('S-1 the reference names the programs that a shell has, and no others', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/reference/shell-programs.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  const cells = rows.flatMap((row) => row.split('|').slice(2, 3));
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
  const ofTheShell = ['bash', 'sh', 'git'];
  const programs = [...createPrograms({ startWorker: startProgramWorker }).keys(), ...ofTheShell];
  expect(named.sort()).toEqual(programs.sort());
});
