import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject, type TestProject } from '../test-project.ts';

/** What the history has of a path, anywhere. */
async function inHistory({ ok }: TestProject, path: string): Promise<boolean> {
  const log = await ok('log', '--all', '--json');
  const ids = log.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  for (const id of ids) if ((await ok('show', id, '--json')).stdout.includes(path)) return true;
  return false;
}

test('R-12 what a step takes out of .coppiceignore is in no snapshot of that step, and its undo leaves it on disk', async () => {
  await using project = await openProject({ a: 'one', '.coppiceignore': 'secret/\n' });
  const { at, ok } = project;
  await mkdir(at('secret'));
  await writeFile(at('secret/key'), 'of the user');
  await rm(at('.coppiceignore'));
  await writeFile(at('a'), 'two');
  await ok('undo');
  expect(await readFile(at('secret/key'), 'utf8')).toBe('of the user');
  expect(await readFile(at('a'), 'utf8')).toBe('one');
  expect(await inHistory(project, 'secret')).toBe(false);
  await ok('redo');
  expect(await readFile(at('secret/key'), 'utf8')).toBe('of the user');
});

test('R-12 a state that leaves out what a later one has does not take it from disk', async () => {
  await using project = await openProject({ a: 'one', '.coppiceignore': 'data\n' });
  const { at, ok } = project;
  await writeFile(at('data'), 'first');
  await rm(at('.coppiceignore'));
  await ok('commit', '-m', 'all of it');
  await writeFile(at('data'), 'second');
  await ok('commit', '-m', 'with data');
  await ok('checkout', 'HEAD~2');
  expect(await readFile(at('data'), 'utf8')).toBe('second');
});

test('R-12 what a step leaves out from now on and deletes, or changes, is back after its undo', async () => {
  await using project = await openProject({
    'src/a': 'one',
    'src/deep/b': 'two',
    'data/x': 'three',
    '.coppiceignore': '',
  });
  const { at, ok } = project;
  await writeFile(at('.coppiceignore'), 'src/\ndata/\nbuild/\n');
  await rm(at('src'), { recursive: true });
  await writeFile(at('data/x'), 'changed');
  await writeFile(at('data/new'), 'of the step');
  await mkdir(at('build'));
  await writeFile(at('build/out'), 'made');
  await ok('undo');
  expect(await readFile(at('src/a'), 'utf8')).toBe('one');
  expect(await readFile(at('src/deep/b'), 'utf8')).toBe('two');
  expect(await readFile(at('data/x'), 'utf8')).toBe('three');
  // No snapshot has these.
  expect(await readFile(at('build/out'), 'utf8')).toBe('made');
  expect(await readFile(at('data/new'), 'utf8')).toBe('of the step');
});

test('R-12 what is left out from now on and did not change goes from the history at once', async () => {
  await using project = await openProject({ 'large/a': 'one', 'large/b/c': 'two', keep: 'three' });
  const { at, ok } = project;
  await writeFile(at('.coppiceignore'), 'large/\n');
  await ok('commit', '-m', 'without');
  const { files } = JSON.parse((await ok('show', '--json')).stdout);
  expect(files.map(({ type, path }: { type: string; path: string }) => `${type} ${path}`)).toContain(
    'deleted /large/a',
  );
  await appendFile(at('large/a'), 'more');
  expect(JSON.parse((await ok('commit', '--if-changed', '--json')).stdout).isHead).toBe(true);
  await ok('checkout', 'HEAD~1');
  expect(await readFile(at('large/a'), 'utf8')).toBe('onemore');
});

test('R-12 H-9 a pipe, a link, a directory or too much in place of .coppiceignore is refused at once, with what helps', async () => {
  await using project = await openProject({ a: 'one' });
  const { at, run, ok } = project;
  const outside = join(tmpdir(), `coppice-rules-${process.pid}`);
  await writeFile(outside, 'a\n');
  try {
    const rules = at('.coppiceignore');
    const makers: (() => unknown)[] = [
      () => execFileSync('mkfifo', [rules]),
      () => symlink(outside, rules),
      () => mkdir(rules),
      () => writeFile(rules, '').then(() => truncate(rules, 2 ** 40)),
    ];
    for (const make of makers) {
      await make();
      const { code, stderr } = await run('commit');
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/\.coppiceignore (is not a file of its own|has more than)/);
      await rm(rules, { recursive: true });
    }
    await ok('commit');
    expect(existsSync(at('a'))).toBe(true);
  } finally {
    await rm(outside);
  }
});

test('R-12 a directory that is left out is not removed for the file that had its name, and undo says what is in the way', async () => {
  await using project = await openProject({ '.coppiceignore': 'build/\n' });
  const { at, ok, run } = project;
  await writeFile(at('build'), 'a file');
  await ok('commit', '-m', 'a file');
  await rm(at('build'));
  await mkdir(at('build'));
  await writeFile(at('build/made'), 'left out');
  await ok('commit', '-m', 'a directory');
  const refused = await run('undo');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('at /build is something that is not in the history');
  await rm(at('build'), { recursive: true });
  await ok('undo');
  expect(await readFile(at('build'), 'utf8')).toBe('a file');
});
