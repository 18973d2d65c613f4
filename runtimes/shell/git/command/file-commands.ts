import { assertTreePath } from '../../../../sandbox/git/git-names.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { statusRows } from '../../../../sandbox/git/library/read-status.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';
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
  for (const path of paths) assertTreePath(path, 'cannot add');
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
    if (path === '.' || known.some((each) => isWithinPaths([path], each))) continue;
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

const rm: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['recursive r', 'cached', 'force f', 'quiet q'] });
  const repository = await git.open();
  const { library, at } = repository;
  for (const [index, path] of git.treePaths([...parsed.operands, ...parsed.paths]).entries()) {
    const rows = (await statusRows(repository, [path])).filter(([, , , staged]) => staged !== 0);
    const shown = parsed.operands[index] ?? path;
    if (rows.length === 0) throw new GitCommandError(`fatal: pathspec '${shown}' did not match any files`);
    const isBelow = rows.some(([file]) => file !== path);
    if (isBelow && !parsed.has('recursive'))
      throw new GitCommandError(`fatal: not removing '${shown}' recursively without -r`);
    for (const [file, head, files] of rows) {
      if (files !== 0 && files !== head && !parsed.has('force') && !parsed.has('cached')) {
        throw new GitCommandError(
          `error: the following file has local modifications:\n    ${file}\n(use --cached to keep the file, or -f to force removal)`,
          1,
        );
      }
      await library.remove({ ...at, filepath: file });
      if (!parsed.has('cached') && files !== 0) await git.parts.files.remove(`${git.directory}/${file}`);
      if (!parsed.has('quiet')) git.out.add(`rm '${file}'\n`);
    }
  }
  return 0;
};

const mv: GitCommand = async (git, words) => {
  const { operands } = parseWords(words, { flags: ['force f', 'verbose v'] });
  const [from, to] = git.treePaths(operands);
  if (from === undefined || to === undefined || operands.length !== 2)
    throw new GitCommandError('usage: git mv <source> <destination>', 129);
  assertTreePath(to, 'cannot move');
  const { directory } = git;
  const isInto = git.parts.files.isDirectory(`${directory}/${to}`);
  const target = isInto ? `${to === '.' ? '' : `${to}/`}${from.slice(from.lastIndexOf('/') + 1)}` : to;
  const repository = await git.open();
  const known = (await statusRows(repository, [from])).filter(([, , , staged]) => staged !== 0);
  if (known.length === 0)
    throw new GitCommandError(
      `fatal: not under version control, source=${operands[0]}, destination=${operands[1]}`,
    );
  if (git.parts.files.isThere(`${directory}/${target}`)) {
    throw new GitCommandError(`fatal: destination exists, source=${operands[0]}, destination=${operands[1]}`);
  }
  await git.parts.files.rename({ path: `${directory}/${from}`, to: `${directory}/${target}` });
  await git.git.add({ directory, paths: [from, target] });
  return 0;
};

export const fileCommands: Readonly<Record<string, GitCommand>> = { add, rm, mv };
