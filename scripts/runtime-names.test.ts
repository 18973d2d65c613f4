import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runtimeNames } from '../protocol/sandbox/sandbox-info.ts';

const root = join(import.meta.dirname, '..');
/** Folders of runtimes, and what is in no build. */
const isElsewhere = (file: string) =>
  /^((bridge-server\/)?runtimes|test|docs|examples)\//.test(file) || file.endsWith('.test.ts');

test('no line outside the folders of runtimes compares with the name of one: it asks its description', () => {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' });
  const comparison = new RegExp(`[=!]== '(${runtimeNames.join('|')})'`);
  const found = files
    .split('\n')
    .filter((file) => file !== '' && !isElsewhere(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n');
      return lines.flatMap((line, at) =>
        /runtime/i.test(line) && comparison.test(line) ? [`${file}:${at + 1}`] : [],
      );
    });
  expect(found).toEqual([]);
});
