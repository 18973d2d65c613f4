import { execFileSync } from 'node:child_process';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { inRepository } from '../host/repository.ts';

interface VitestConfig {
  readonly test: {
    readonly projects: readonly {
      readonly test: { readonly include: readonly string[]; readonly exclude?: readonly string[] };
    }[];
  };
}

test('every test file is of one project, so that none is left out', async () => {
  // Its own types are of no project of TypeScript.
  const config: { default: VitestConfig } = await import(inRepository('vitest.config.ts'));
  const projects = config.default.test.projects.map(({ test }) => test);
  const matches = (file: string, patterns: readonly string[] = []): boolean =>
    patterns.some((pattern) => matchesGlob(file, pattern));
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'],
    {
      cwd: inRepository(),
      encoding: 'utf8',
    },
  );
  const files = listed.split('\n').filter((file) => file !== '');
  const lost = files.filter(
    (file) =>
      projects.filter(({ include, exclude }) => matches(file, include) && !matches(file, exclude)).length !==
      1,
  );
  expect(files.length).toBeGreaterThan(100);
  expect(lost).toEqual([]);
});
