import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildHostProgram } from '../../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';

const launcher = await buildHostProgram('launcher', {
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});
const folder = mkdtempSync(join(tmpdir(), 'coppice-subvolumes-'));
symlinkSync('/', join(folder, 'link'));
afterAll(() => rmSync(folder, { recursive: true }));

function ask(input: string): { status: number | null; answers: string[] } {
  const { status, stdout } = spawnSync(launcher, ['--subvolumes'], { input, encoding: 'latin1' });
  return { status, answers: stdout.split('\n').slice(0, -1) };
}

const [enoent, einval, enotdir, enotty] = ['2', '22', '20', '25'];

test.each([
  ['a relative path', 'c\0\0relative/name\0', einval],
  ['no name', `c\0\0${folder}/\0`, einval],
  ['the root', 'd\0\0/\0', einval],
  ['a name that is too long', `c\0\0${folder}/${'n'.repeat(4_045)}\0`, einval],
  ['an unknown operation', `x\0\0${folder}/name\0`, einval],
  ['a parent that is not there', `c\0\0${folder}/none/name\0`, enoent],
  ['a parent that is a link', `c\0\0${folder}/link/name\0`, enotdir],
  ['a source that is not there', `s\0${folder}/none\0${folder}/name\0`, enoent],
])('B2-39: %s is refused by its error number, and the next request is answered', (_, request, answer) => {
  expect(ask(`${request}${request}`)).toEqual({ status: 0, answers: [answer, answer] });
  expect(readdirSync(folder)).toEqual(['link']);
});

test('B2-39: where there is no btrfs nothing can be made', () => {
  const [made, deleted] = ask(`c\0\0/proc/name\0d\0\0/proc/self\0`).answers;
  expect([enotty, '1', '13']).toContain(made);
  expect(deleted).not.toBe('0');
});

test.each([
  ['ends within a request', `c\0\0${folder}/name`],
  ['has a field that is too long', `c\0${'p'.repeat(5_000)}\0${folder}/name\0`],
  ['has no operation', 'create\0\0/name\0'],
])('B2-39: input that %s ends the process', (_, input) => {
  expect(ask(input)).toEqual({ status: 2, answers: [] });
});
