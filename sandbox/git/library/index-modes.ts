import { boundCalls } from './bound-calls.ts';
import type { GitFileStat } from './git-files.ts';
import type { Repository } from './repository.ts';

const execute = 0o111;
const executable = 0o100755;

/**
 * The same repository, for comparing and staging files of the working tree. Where `core.filemode` is false, as in a repository that
 * comes from a file system without modes, each has the mode that the index has, and a new one may not be executed.
 */
export async function withIndexModes(repository: Repository): Promise<Repository> {
  if ((await repository.setting('core.filemode')) !== 'false') return repository;
  const { at, library } = repository;
  const executables = new Set<string>();
  await library.walk({
    ...at,
    trees: [library.STAGE()],
    map: async (path, [index = null]) => {
      if ((await index?.mode()) === executable) executables.add(`${at.dir}/${path}`);
      return path;
    },
  });
  const calls = at.fs.promises;
  const lstat = async (path: string): Promise<GitFileStat> => {
    const stat = await calls.lstat(path);
    if (!stat.isFile()) return stat;
    return { ...stat, mode: executables.has(path) ? stat.mode | execute : stat.mode & ~execute };
  };
  return repository.withFiles({ ...boundCalls(calls), lstat });
}
