import { quotePath } from '../../../../sandbox/git/library/quote-path.ts';
import { statusRows } from '../../../../sandbox/git/library/read-status.ts';
import { objectOf, treeNamed } from '../../../../sandbox/git/library/revisions.ts';
import type { GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { parseWords } from './parse-words.ts';
import { revList } from './rev-list-command.ts';

const lsFiles: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['cached c', 'others o', 'modified m', 'deleted d', 'exclude-standard', 'error-unmatch', 'null z'],
  });
  const asked = [...parsed.operands, ...parsed.paths];
  const below = git.treePaths(asked.length > 0 ? asked : ['.']);
  const repository = await git.open();
  const rows = await statusRows(repository, below);
  const wanted = ['others', 'modified', 'deleted'].filter((each) => parsed.has(each));
  const found = rows.filter(([, , worktree, staged]) => {
    if (staged === 0) return wanted.includes('others') && worktree !== 0;
    if (wanted.length === 0 || parsed.has('cached')) return true;
    if (worktree === 0) return wanted.length > (wanted.includes('others') ? 1 : 0);
    return wanted.includes('modified') && worktree !== staged;
  });
  if (parsed.has('error-unmatch') && found.length === 0)
    throw new GitCommandError(
      `error: pathspec '${asked[0] ?? '.'}' did not match any file(s) known to git`,
      1,
    );
  for (const [path] of found) {
    const shown = git.shownPath(path);
    git.out.add(parsed.has('null') ? `${shown}\0` : `${quotePath(shown)}\n`);
    if (git.out.isFull) await git.out.flush();
  }
  return 0;
};

const lsTree: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['r', 't', 'd', 'name-only name-status', 'long l'] });
  const [revision = 'HEAD', ...paths] = [...parsed.operands, ...parsed.paths];
  const repository = await git.open();
  const { library, at, signal } = repository;
  const wanted = git.treePaths(paths);
  const isWanted = (path: string) =>
    wanted.length === 0 || wanted.some((each) => path === each || path.startsWith(`${each}/`));
  const list = async (oid: string, prefix: string): Promise<void> => {
    for (const entry of (await library.readTree({ ...at, oid })).tree) {
      signal.throwIfAborted();
      const path = `${prefix}${entry.path}`;
      const isAbove = wanted.some((each) => each.startsWith(`${path}/`));
      const goesIn = entry.type === 'tree' && (parsed.has('r') || isAbove);
      if (!goesIn && isWanted(path)) {
        const what = `${entry.mode.padStart(6, '0')} ${entry.type} ${entry.oid}\t`;
        git.out.add(`${parsed.has('name-only') ? '' : what}${quotePath(path)}\n`);
      }
      if (goesIn) await list(entry.oid, `${path}/`);
      if (git.out.isFull) await git.out.flush();
    }
  };
  await list(await treeNamed(repository, revision), '');
  return 0;
};

const catFile: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['p', 't', 's', 'e'] });
  const [name] = parsed.operands.slice(-1);
  if (name === undefined || !['p', 't', 's', 'e'].some((each) => parsed.has(each)))
    throw new GitCommandError('usage: git cat-file (-p | -t | -s | -e) <object>', 129);
  const repository = await git.open();
  const { library, at } = repository;
  const found = await objectOf(repository, name).catch(() => undefined);
  if (found === undefined) {
    if (parsed.has('e')) return 1;
    throw new GitCommandError(`fatal: Not a valid object name ${name}`);
  }
  const object = await library.readObject({ ...at, oid: found.oid, format: 'content' });
  const bytes = object.object as Uint8Array;
  if (parsed.has('e')) return 0;
  if (parsed.has('t')) git.out.add(`${object.type}\n`);
  else if (parsed.has('s')) git.out.add(`${bytes.length}\n`);
  else if (object.type === 'tree') {
    for (const { mode, type, oid, path } of (await library.readTree({ ...at, oid: object.oid })).tree)
      git.out.add(`${mode.padStart(6, '0')} ${type} ${oid}\t${quotePath(path)}\n`);
  } else await git.call.stdout.write(bytes, git.call.signal);
  return 0;
};

const mergeBase: GitCommand = async (git, words) => {
  const { operands, has } = parseWords(words, { flags: ['all a', 'is-ancestor'] });
  const repository = await git.open();
  const { library, at } = repository;
  const oids = await Promise.all(operands.map((each) => repository.commitOf(each)));
  if (oids.length < 2) throw new GitCommandError('usage: git merge-base <commit> <commit>...', 129);
  const found: readonly string[] = await library.findMergeBase({ ...at, oids });
  if (has('is-ancestor')) return found.includes(oids[0] ?? '') ? 0 : 1;
  for (const oid of has('all') ? found : found.slice(0, 1)) git.out.add(`${oid}\n`);
  return found.length > 0 ? 0 : 1;
};

const checkIgnore: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['quiet q', 'no-index'] });
  const asked = [...parsed.operands, ...parsed.paths];
  const { library, at } = await git.open();
  let any = false;
  for (const [index, filepath] of git.treePaths(asked).entries()) {
    if (!(await library.isIgnored({ ...at, filepath }))) continue;
    any = true;
    if (!parsed.has('quiet')) git.out.add(`${asked[index]}\n`);
  }
  return any ? 0 : 1;
};

const symbolicRef: GitCommand = async (git, words) => {
  const { operands, has } = parseWords(words, { flags: ['short', 'quiet q'] });
  if (operands.length !== 1 || operands[0] !== 'HEAD')
    throw new GitCommandError('usage: git symbolic-ref [--short] HEAD', 129);
  const branch = await (await git.open()).branch();
  if (branch === undefined) {
    if (has('quiet')) return 1;
    throw new GitCommandError('fatal: ref HEAD is not a symbolic ref');
  }
  git.out.add(`${has('short') ? '' : 'refs/heads/'}${branch}\n`);
  return 0;
};

export const inspectCommands: Readonly<Record<string, GitCommand>> = {
  'ls-files': lsFiles,
  'ls-tree': lsTree,
  'cat-file': catFile,
  'rev-list': revList,
  'merge-base': mergeBase,
  'check-ignore': checkIgnore,
  'symbolic-ref': symbolicRef,
};
