import { assertTreePath } from '../../../../sandbox/git/git-names.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { parseWords } from './parse-words.ts';
import { isExclusion, isWithinPaths } from './path-patterns.ts';
import { mv, rm } from './remove-and-move.ts';
import { stagePaths } from './stage-paths.ts';
import { unknownFiles } from './work-status.ts';

const add: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'all A',
      'update u',
      'verbose v',
      'force f',
      'dry-run n',
      'patch p',
      'intent-to-add N',
      'ignore-errors',
      'interactive i',
      'edit e',
      'no-all',
      'renormalize',
    ],
    values: ['chmod'],
  });
  for (const option of ['patch', 'intent-to-add', 'interactive', 'edit', 'no-all', 'renormalize', 'chmod'])
    if (parsed.has(option)) throw new NotInShellError(`fatal: the git of a shell has no --${option} of add`);
  const names = [...parsed.operands, ...parsed.paths];
  const paths = git.treePaths(names);
  const isUpdate = parsed.has('update');
  if (names.length === 0 && !parsed.has('all') && !isUpdate) {
    await git.warn("Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?");
    return 0;
  }
  for (const path of paths) if (!isExclusion(path)) assertTreePath(path, 'cannot add');
  return git.change(async (repository) => {
    const ignored = parsed.has('force') ? [] : await assertNamed(git, repository, { paths, names });
    const wanted = paths.filter((path) => !ignored.includes(path));
    const staged =
      paths.length > 0 && wanted.length === 0
        ? []
        : await stagePaths(repository, {
            paths: wanted,
            isUpdate,
            takesIgnored: parsed.has('force'),
            isDry: parsed.has('dry-run'),
          });
    if (parsed.has('dry-run') || parsed.has('verbose'))
      for (const { path, isGone } of staged) git.out.add(`${isGone ? 'remove' : 'add'} '${path}'\n`);
    if (ignored.length === 0) return 0;
    throw new GitCommandError(
      `The following paths are ignored by one of your .gitignore files:\n${ignored.join('\n')}\nhint: Use -f if you really want to add them.`,
      1,
    );
  });
};

/** Names must be of files, here or known. Answers those that are ignored. @throws GitCommandError */
async function assertNamed(
  git: GitCall,
  repository: Repository,
  { paths, names }: { readonly paths: readonly string[]; readonly names: readonly string[] },
): Promise<string[]> {
  const known = (await indexRows(repository)).map(({ path }) => path);
  const rules = new IgnoreRules(repository);
  const ignored: string[] = [];
  for (const [index, path] of paths.entries()) {
    if (path === '.' || isExclusion(path) || known.some((each) => isWithinPaths([path], each))) continue;
    const full = `${git.directory}/${path}`;
    const isGlob = /[*?[]/.test(path) && !git.parts.files.isThere(full);
    const found = isGlob
      ? (
          await unknownFiles(repository, await indexRows(repository), { isAll: true, ignored: false })
        ).untracked.some((each) => isWithinPaths([path], each))
      : git.parts.files.isThere(full);
    if (!found) throw new GitCommandError(`fatal: pathspec '${names[index]}' did not match any files`);
    if (!isGlob && (await rules.isIgnored(path, git.parts.files.isDirectory(full)))) ignored.push(path);
  }
  return ignored;
}

export const fileCommands: Readonly<Record<string, GitCommand>> = { add, rm, mv };
