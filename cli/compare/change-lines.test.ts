import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Change } from '../../protocol/sandbox/history.ts';
import { Style } from '../output/style.ts';
import { changeLines } from './change-lines.ts';

const changes = Array.from(
  { length: 5_551 },
  (_, at): Change => ({ type: 'created', path: `/f${at}`, sizeBytes: 1 }),
);
const whole = 'coppice diff a b';

test('R-12 what a step has changed fits a terminal, which is told what lists all of it', () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const style = new Style({ stdout, environment: { NO_COLOR: '1' } });
  const lines = changeLines(changes, { style, whole });
  expect(lines).toHaveLength(40);
  expect(lines.slice(-2)).toEqual(['A  /f38', '… and 5512 more: coppice diff a b lists all']);
  expect(changeLines(changes.slice(0, 40), { style, whole }).at(-1)).toBe('A  /f39');
});

test('R-12 a program that reads what a step has changed gets all of it', () => {
  const style = new Style({ stdout: new PassThrough(), environment: {} });
  expect(changeLines(changes, { style, whole })).toHaveLength(5_551);
});
