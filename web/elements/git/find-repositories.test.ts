import { expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import { connectionDouble, type SomeMethods } from '../../../test/fixtures/connection-double.ts';
import { directoryOfUrl, findRepositories } from './find-repositories.ts';

const home = '/home/user';

/** A sandbox with `count` directories in its home, of which those have a repository. */
function homeOf(count: number, repositories: readonly string[]) {
  const entries = Array.from({ length: count }, (_each, index) => ({
    type: 'directory',
    name: `d${index}`,
    path: `${home}/d${index}`,
  }));
  const files = {
    list: async () => entries,
    stat: async ({ path }: { readonly path: string }) => {
      if (!repositories.includes(path)) throw new SandboxError('not-found', 'It is not there');
      return { type: 'directory' };
    },
  };
  // Parts of what is read of it.
  return connectionDouble({ files } as unknown as SomeMethods);
}

test('B-7 many directories are looked into in part, and that is told; the chosen one always is', async () => {
  const connection = homeOf(100, [`${home}/d1/.git`, `${home}/d99/.git`]);
  expect(await findRepositories(connection, { directory: home })).toEqual({
    repositories: [`${home}/d1`],
    directories: 100,
    looked: 64,
  });
  const { repositories } = await findRepositories(connection, { directory: home, chosen: `${home}/d99` });
  expect(repositories).toEqual([`${home}/d1`, `${home}/d99`]);
});

test('B-7 a clone goes to the directory that git would make of the URL', () => {
  expect(
    [
      'https://git.example.org/team/project.git',
      'git@example.org:project',
      'file:///srv/one/',
      'https://example.org/..',
      'x y',
    ].map(directoryOfUrl),
  ).toEqual(['project', 'project', 'one', '', '']);
});
