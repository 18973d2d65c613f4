import type { GitFileCalls } from '../../../../sandbox/git/library/git-files.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { compareNames } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';
import { filesBelow } from './stage-paths.ts';
import { unknownFiles } from './work-status.ts';

/** Removes files that git does not know. What is ignored stays, with the directories that hold it. */
export const clean: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['dry-run n', 'force f', 'd', 'quiet q', 'x', 'X', 'interactive i'],
    values: ['exclude e'],
  });
  for (const option of ['interactive', 'exclude'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of clean`);
  const isDry = parsed.has('dry-run');
  if (!isDry && !parsed.has('force'))
    throw new GitCommandError('fatal: neither -n nor -f given; refusing to clean');
  const asked = [...parsed.operands, ...parsed.paths];
  const repository = await git.open();
  const rows = await indexRows(repository);
  const known = directoriesOf(rows.map(({ path }) => path));
  const found = await unknownFiles(repository, rows, { isAll: true, ignored: true });
  const ignored = parsed.has('x') || parsed.has('X') ? await filesBelow(repository, found.ignored) : [];
  const wanted = git.treePaths(asked.length > 0 ? asked : ['.']);
  const files = [...(parsed.has('X') ? [] : found.untracked), ...ignored]
    .filter((path) => isWithinPaths(wanted, path.replace(/\/$/, '')))
    .sort(compareNames);
  const nested = nestedRepositories(git);
  const takesRepositories = parsed.values('force').length > 1;
  const { promises } = repository.at.fs;
  const removed = new Set<string>();
  const skipped = new Set<string>();
  for (const each of files) {
    // A repository within is one thing.
    const path = each.endsWith('/') ? `${each}.git` : each;
    const directory = unknownDirectory(path, known);
    // git goes into directories that hold nothing that it knows only where it is told to.
    if (directory !== undefined && !parsed.has('d')) continue;
    const repositoryAt = directory === undefined ? undefined : nested(path, directory);
    if (repositoryAt !== undefined && !takesRepositories) {
      skipped.add(git.shownPath(repositoryAt));
      continue;
    }
    if (!isDry && repositoryAt !== undefined) {
      const whole = `${git.directory}/${repositoryAt}`;
      if (git.parts.files.isThere(whole)) await git.parts.files.remove(whole);
      if (directory !== undefined)
        await removeEmptied(promises, { top: git.directory, path: repositoryAt, directory });
    } else if (!isDry) {
      await promises.unlink(`${git.directory}/${path}`);
      if (directory !== undefined) await removeEmptied(promises, { top: git.directory, path, directory });
    }
    removed.add(directory === undefined ? git.shownPath(path) : `${git.shownPath(directory)}/`);
  }
  if (parsed.has('quiet')) return 0;
  for (const path of skipped) git.out.add(`${isDry ? 'Would skip' : 'Skipping'} repository ${path}/\n`);
  for (const path of removed) git.out.add(`${isDry ? 'Would remove' : 'Removing'} ${path}\n`);
  return 0;
};

/** The first directory of a path in which git knows nothing. */
function unknownDirectory(path: string, known: ReadonlySet<string>): string | undefined {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const directory = path.slice(0, slash);
    if (!known.has(directory)) return directory;
  }
  return undefined;
}

/** All that lead to one of the paths. */
function directoriesOf(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const directory = path.slice(0, slash);
      if (found.has(directory)) break;
      found.add(directory);
    }
  }
  return found;
}

/** Tells the repository of its own that a path in `directory` is in: that directory, or one below it. */
function nestedRepositories(git: GitCall): (path: string, directory: string) => string | undefined {
  const known = new Map<string, boolean>();
  const isRepository = (directory: string): boolean => {
    const is = known.get(directory) ?? git.parts.files.isThere(`${git.directory}/${directory}/.git`);
    known.set(directory, is);
    return is;
  };
  return (path, directory) => {
    for (let end = directory.length; end >= 0; end = path.indexOf('/', end + 1)) {
      if (isRepository(path.slice(0, end))) return path.slice(0, end);
    }
    return undefined;
  };
}

/** Removes the directories of a path that are empty now, up to and with `directory`. */
async function removeEmptied(
  files: GitFileCalls,
  { top, path, directory }: { readonly top: string; readonly path: string; readonly directory: string },
): Promise<void> {
  let at = path;
  while (at !== directory) {
    at = at.slice(0, at.lastIndexOf('/'));
    const isGone = await files.rmdir(`${top}/${at}`).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
