import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { mergeBases } from '../../../../sandbox/git/library/merge-bases.ts';
import { hashBlob } from '../../../../sandbox/git/library/plan-move.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { readAll } from '../../../../shell/programs/streams/input.ts';
import { compareNames, FilesLook, modeText } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCommand } from './git-call.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { catFile, lsTree } from './object-commands.ts';
import { parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';
import { revList } from './rev-list-command.ts';
import { reachable } from './walk-history.ts';
import { unknownFiles } from './work-status.ts';

const lsFiles: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      ...[
        'cached c',
        'others o',
        'modified m',
        'deleted d',
        'exclude-standard',
        'error-unmatch',
        'null z',
        'stage s',
        'unmerged u',
        'ignored i',
      ],
      ...['full-name', 'directory'],
    ],
    values: [],
  });
  const asked = [...parsed.operands, ...parsed.paths];
  const below = git.treePaths(asked.length > 0 ? asked : ['.']);
  const repository = await git.open();
  const rows = (await indexRows(repository)).filter(({ path }) => isWithinPaths(below, path));
  const wants = (name: string) => parsed.has(name);
  const isPlain = !['others', 'modified', 'deleted', 'unmerged', 'ignored'].some(wants);
  const end = wants('null') ? '\0' : '\n';
  const show = async (path: string, before = '') => {
    const shown = wants('full-name') ? path : git.shownPath(path);
    git.out.add(`${before}${wants('null') ? shown : repository.quoted(shown)}${end}`);
    if (git.out.isFull) await git.out.flush();
  };
  const listed: string[] = [];
  if (wants('others')) {
    const found = await unknownFiles(repository, await indexRows(repository), {
      isAll: !wants('directory'),
      ignored: true,
    });
    // What is ignored counts where nobody says to leave it out.
    const files = wants('ignored')
      ? found.ignored
      : wants('exclude-standard')
        ? found.untracked
        : [...found.untracked, ...found.ignored].sort(compareNames);
    const whole = wants('directory')
      ? files
      : (await Promise.all(files.map((path) => filesIn(repository, path)))).flat();
    for (const path of whole.filter((each) => isWithinPaths(below, each))) {
      listed.push(path);
      await show(path);
    }
  } else if (wants('ignored'))
    throw new NotInShellError('fatal: the git of a shell lists ignored files with -o only');
  const look = wants('modified') || wants('deleted') ? await FilesLook.open(repository) : undefined;
  for (const row of rows) {
    const side = look ? await look.at(row.path, row) : undefined;
    const isChanged = wants('modified') && (side?.oid !== row.oid || side?.mode !== row.mode);
    const isListed = wants('unmerged')
      ? row.stage > 0
      : isPlain || wants('cached') || (look && side === undefined) || isChanged;
    if (!isListed) continue;
    listed.push(row.path);
    const isStaged = wants('stage') || wants('unmerged');
    await show(row.path, isStaged ? `${modeText(row.mode)} ${row.oid} ${row.stage}\t` : '');
  }
  await look?.refresh();
  const unmatched = below.findIndex((path) => !listed.some((each) => isWithinPaths([path], each)));
  if (wants('error-unmatch') && asked.length > 0 && unmatched >= 0)
    throw new GitCommandError(
      `error: pathspec '${asked[unmatched]}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
      1,
    );
  return 0;
};

/** A path that ends in a slash stands for the files in it. */
async function filesIn(repository: Repository, path: string): Promise<string[]> {
  if (!path.endsWith('/')) return [path];
  const { promises } = repository.at.fs;
  const found: string[] = [];
  for (const name of (await promises.readdir(`${repository.at.dir}/${path.slice(0, -1)}`)).sort(
    compareNames,
  )) {
    repository.signal.throwIfAborted();
    if (name === '.git') continue;
    const isDirectory = (await promises.lstat(`${repository.at.dir}/${path}${name}`)).isDirectory();
    found.push(...(await filesIn(repository, `${path}${name}${isDirectory ? '/' : ''}`)));
  }
  return found;
}

const mergeBase: GitCommand = async (git, words) => {
  const { operands, has } = parseWords(words, { flags: ['all a', 'is-ancestor'] });
  const repository = await git.open();
  const oids = await Promise.all(
    operands.map((each) =>
      commitNamed(repository, each).catch(() => {
        throw new GitCommandError(`fatal: Not a valid object name ${each}`);
      }),
    ),
  );
  if (oids.length < 2) throw new GitCommandError('usage: git merge-base <commit> <commit>...', 129);
  if (has('is-ancestor')) return (await reachable(repository, [oids[1] ?? ''])).has(oids[0] ?? '') ? 0 : 1;
  if (oids.length > 2)
    throw new NotInShellError(
      'fatal: the git of a shell looks for what two commits come from, and no more',
      128,
    );
  const found = await mergeBases(repository, oids[0] ?? '', oids[1] ?? '');
  for (const oid of has('all') ? found : found.slice(0, 1)) git.out.add(`${oid}\n`);
  return found.length > 0 ? 0 : 1;
};

const checkIgnore: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['quiet q', 'no-index', 'verbose v', 'non-matching n'] });
  const asked = [...parsed.operands, ...parsed.paths];
  const repository = await git.open();
  const known = parsed.has('no-index')
    ? new Set()
    : new Set((await indexRows(repository)).map(({ path }) => path));
  const rules = new IgnoreRules(repository);
  let any = false;
  for (const [index, path] of git.treePaths(asked).entries()) {
    const isDirectory =
      git.parts.files.isDirectory(`${git.directory}/${path}`) || (asked[index] ?? '').endsWith('/');
    const rule = known.has(path) ? undefined : await rules.ruleOf(path, isDirectory);
    const isIgnored = rule !== undefined && (!rule.isNegated || parsed.has('verbose'));
    if (isIgnored) any = true;
    if (parsed.has('quiet')) continue;
    if (parsed.has('verbose') && (rule || parsed.has('non-matching')))
      git.out.add(`${rule ? `${rule.source}:${rule.line}:${rule.text}` : '::'}\t${asked[index]}\n`);
    else if (isIgnored) git.out.add(`${asked[index]}\n`);
  }
  return any ? 0 : 1;
};

const hashObject: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['w', 'stdin', 'no-filters'], values: ['t'] });
  if ((parsed.value('t') ?? 'blob') !== 'blob')
    throw new NotInShellError('fatal: the git of a shell hashes files only');
  const contents: Uint8Array[] = parsed.has('stdin') ? [await readAll(git.call.stdin, git.call.signal)] : [];
  for (const path of [...parsed.operands, ...parsed.paths])
    contents.push(git.call.files.readFile(absolutePath(git.cwd, path)));
  for (const content of contents) {
    if (parsed.has('w')) {
      const { library, at } = await git.open();
      await library.writeBlob({ ...at, blob: content });
    }
    git.out.add(`${hashBlob(content)}\n`);
  }
  return 0;
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
  'hash-object': hashObject,
};
