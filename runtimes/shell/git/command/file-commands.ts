import type { GitFileStatus } from '../../../../protocol/sandbox/git.ts';
import { assertTreePath } from '../../../../sandbox/git/git-names.ts';
import { quotePath } from '../../../../sandbox/git/library/quote-path.ts';
import { statusRows } from '../../../../sandbox/git/library/read-status.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { parseWords } from './parse-words.ts';

const letters: Readonly<Record<string, string>> = {
  unchanged: ' ',
  added: 'A',
  modified: 'M',
  deleted: 'D',
  untracked: '?',
  conflicted: 'U',
};

const status: GitCommand = async (git, words) => {
  const flags = ['short s', 'branch b', 'null z', 'long'];
  const { has, value } = parseWords(words, {
    flags: [...flags, 'porcelain', 'untracked-files u', 'ignored'],
  });
  const isPorcelain = has('porcelain') || has('null');
  if (value('porcelain') === 'v2')
    throw new GitCommandError('fatal: --porcelain=v2 is not supported here', 129);
  const { branch, head, files } = await git.git.status({ directory: git.directory });
  if (isPorcelain || has('short')) {
    const end = has('null') ? '\0' : '\n';
    if (has('branch')) git.out.add(`## ${branch ?? 'HEAD (no branch)'}${end}`);
    for (const file of inGitsOrder(files)) {
      const path = isPorcelain ? file.path : git.shownPath(file.path);
      git.out.add(
        `${file.unstaged === 'untracked' ? '??' : both(file)} ${has('null') ? path : quoted(path)}${end}`,
      );
    }
    return 0;
  }
  git.out.add(branch === undefined ? `HEAD detached at ${head?.slice(0, 7)}\n` : `On branch ${branch}\n`);
  if (head === undefined) git.out.add('\nNo commits yet\n');
  const staged = files.filter((file) => file.staged !== 'unchanged');
  const changed = files.filter((file) => file.unstaged === 'modified' || file.unstaged === 'deleted');
  const untracked = files.filter((file) => file.unstaged === 'untracked');
  const titles = { added: 'new file:   ', modified: 'modified:   ', deleted: 'deleted:    ' } as const;
  const list = (title: string, hint: string, entries: readonly string[]) => {
    if (entries.length > 0)
      git.out.add(`\n${title}\n  (${hint})\n${entries.map((entry) => `\t${entry}\n`).join('')}`);
  };
  const name = (file: GitFileStatus, kind: string) =>
    `${titles[kind as keyof typeof titles] ?? ''}${git.shownPath(file.path)}`;
  list(
    'Changes to be committed:',
    'use "git restore --staged <file>..." to unstage',
    staged.map((file) => name(file, file.staged)),
  );
  list(
    'Changes not staged for commit:',
    'use "git add <file>..." to update what will be committed',
    changed.map((file) => name(file, file.unstaged)),
  );
  list(
    'Untracked files:',
    'use "git add <file>..." to include in what will be committed',
    untracked.map((file) => name(file, '')),
  );
  if (staged.length > 0) git.out.add('\n');
  else if (changed.length > 0)
    git.out.add('\nno changes added to commit (use "git add" and/or "git commit -a")\n');
  else if (untracked.length > 0)
    git.out.add('\nnothing added to commit but untracked files present (use "git add" to track)\n');
  else git.out.add(`${head === undefined ? '\n' : ''}nothing to commit, working tree clean\n`);
  return 0;
};

const add: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['all A', 'update u', 'verbose v', 'force f'] });
  const paths = git.treePaths([...parsed.operands, ...parsed.paths]);
  const { directory } = git;
  if (parsed.has('update')) await addTracked(git);
  else if (paths.length === 0 && !parsed.has('all')) {
    await git.warn('Nothing specified, nothing added.');
  } else {
    for (const path of paths) assertTreePath(path, 'cannot add');
    await git.git.add({ directory, ...(paths.length === 0 ? {} : { paths }) }).catch((error) => {
      if (error.code === 'not-found')
        throw new GitCommandError(`fatal: pathspec '${error.details.path}' did not match any files`);
      throw error;
    });
    await addIgnored(git, { paths, isForced: parsed.has('force') });
  }
  return 0;
};

/** Stages paths that are ignored where the caller forces it, and refuses them otherwise. @throws GitCommandError */
async function addIgnored(
  git: GitCall,
  { paths, isForced }: { readonly paths: readonly string[]; readonly isForced: boolean },
): Promise<void> {
  const repository = await git.open();
  const { library, at } = repository;
  if (isForced) {
    const filepath: string[] = [];
    for (const path of paths.length === 0 ? ['.'] : paths)
      filepath.push(...(await filesBelow(repository, path === '.' ? '' : path)));
    if (filepath.length > 0) await library.add({ ...at, filepath, force: true, parallel: false });
    return;
  }
  const ignored: string[] = [];
  for (const filepath of paths) {
    if (filepath === '.' || !(await library.isIgnored({ ...at, filepath }))) continue;
    const isTracked = (await statusRows(repository, [filepath])).some(([, , , index]) => index !== 0);
    if (!isTracked) ignored.push(filepath);
  }
  if (ignored.length === 0) return;
  throw new GitCommandError(
    `The following paths are ignored by one of your .gitignore files:\n${ignored.join('\n')}\nhint: Use -f if you really want to add them.`,
    1,
  );
}

/** Files at or below a path, ignored or not, without what git keeps: the library, when forced, would take that too. */
async function filesBelow({ at }: Pick<Repository, 'at'>, path: string): Promise<string[]> {
  const { promises } = at.fs;
  const full = `${at.dir}/${path}`;
  if (path !== '') {
    const stat = await promises.lstat(full).catch(() => undefined);
    if (!stat?.isDirectory()) return stat ? [path] : [];
  }
  const files: string[] = [];
  for (const name of await promises.readdir(full)) {
    if (name === '.git') continue;
    files.push(...(await filesBelow({ at }, path === '' ? name : `${path}/${name}`)));
  }
  return files;
}

/** Stages what changed of the files that git knows. */
export async function addTracked(git: GitCall): Promise<void> {
  const { directory } = git;
  const { files } = await git.git.status({ directory });
  const paths = files
    .filter(({ unstaged }) => unstaged === 'modified' || unstaged === 'deleted')
    .map(({ path }) => path);
  if (paths.length > 0) await git.git.add({ directory, paths });
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

export const fileCommands: Readonly<Record<string, GitCommand>> = { status, add, rm, mv };

function both({ staged, unstaged }: GitFileStatus): string {
  return `${letters[staged] ?? ' '}${letters[unstaged] ?? ' '}`;
}

/** What git knows first, then what it does not. */
function inGitsOrder(files: readonly GitFileStatus[]): GitFileStatus[] {
  const isNew = ({ unstaged }: GitFileStatus) => unstaged === 'untracked';
  return [...files.filter((file) => !isNew(file)), ...files.filter(isNew)];
}

/** In the short list, git quotes a name with a blank too. */
function quoted(path: string): string {
  const text = quotePath(path);
  return path.includes(' ') && !text.startsWith('"') ? `"${text}"` : text;
}
