import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { hashBlob } from '../../../../sandbox/git/library/plan-move.ts';
import { quotePath } from '../../../../sandbox/git/library/quote-path.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, objectOf, treeNamed } from '../../../../sandbox/git/library/revisions.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { readAll } from '../../../../shell/programs/streams/input.ts';
import { compareNames, FilesLook, modeText } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCommand } from './git-call.ts';
import { IgnoreRules } from './ignore-rules.ts';
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
    git.out.add(`${before}${wants('null') ? shown : quotePath(shown)}${end}`);
    if (git.out.isFull) await git.out.flush();
  };
  let count = 0;
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
      count += 1;
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
    count += 1;
    const isStaged = wants('stage') || wants('unmerged');
    await show(row.path, isStaged ? `${modeText(row.mode)} ${row.oid} ${row.stage}\t` : '');
  }
  await look?.refresh();
  if (wants('error-unmatch') && count === 0)
    throw new GitCommandError(
      `error: pathspec '${asked[0] ?? '.'}' did not match any file(s) known to git`,
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

const lsTree: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'r',
      't',
      'd',
      'name-only name-status',
      'long l',
      'null z',
      'full-name',
      'full-tree',
      'object-only',
    ],
    values: [],
  });
  const [revision, ...paths] = [...parsed.operands, ...parsed.paths];
  if (revision === undefined)
    throw new GitCommandError('usage: git ls-tree [<options>] <tree-ish> [<path>...]', 129);
  const repository = await git.open();
  const { library, at, signal } = repository;
  const wanted = git.treePaths(paths);
  const end = parsed.has('null') ? '\0' : '\n';
  const show = async ({
    mode,
    type,
    oid,
    path,
  }: {
    mode: string;
    type: string;
    oid: string;
    path: string;
  }) => {
    const size =
      type === 'blob' && parsed.has('long')
        ? String((await library.readBlob({ ...at, oid })).blob.length)
        : '-';
    const what = `${mode.padStart(6, '0')} ${type} ${oid}${parsed.has('long') ? ` ${size.padStart(7)}` : ''}\t`;
    const name = parsed.has('null') ? path : quotePath(path);
    git.out.add(
      parsed.has('object-only') ? `${oid}${end}` : `${parsed.has('name-only') ? '' : what}${name}${end}`,
    );
    if (git.out.isFull) await git.out.flush();
  };
  const list = async (tree: string, prefix: string): Promise<void> => {
    for (const entry of (await library.readTree({ ...at, oid: tree })).tree) {
      signal.throwIfAborted();
      const path = `${prefix}${entry.path}`;
      const isIn =
        wanted.length === 0 ||
        wanted.some((each) => each === '.' || path === each || path.startsWith(`${each}/`));
      const isAbove =
        wanted.some((each) => each.startsWith(`${path}/`)) || paths.some((each) => each === `${path}/`);
      const isTree = entry.type === 'tree';
      const goesIn =
        isTree &&
        (isAbove ||
          (isIn && parsed.has('r') && !parsed.has('d')) ||
          (isIn && parsed.has('r') && parsed.has('d')));
      const isShown = isIn && (isTree ? !goesIn || parsed.has('t') || parsed.has('d') : !parsed.has('d'));
      if (isShown) await show({ ...entry, path });
      if (goesIn) await list(entry.oid, `${path}/`);
    }
  };
  const tree = await treeNamed(repository, revision).catch(() => {
    throw new GitCommandError(`fatal: Not a valid object name ${revision}`);
  });
  await list(tree, '');
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
  const oids = await Promise.all(
    operands.map((each) =>
      commitNamed(repository, each).catch(() => {
        throw new GitCommandError(`fatal: Not a valid object name ${each}`);
      }),
    ),
  );
  if (oids.length < 2) throw new GitCommandError('usage: git merge-base <commit> <commit>...', 129);
  if (has('is-ancestor')) return (await reachable(repository, [oids[1] ?? ''])).has(oids[0] ?? '') ? 0 : 1;
  const found: readonly string[] = await library.findMergeBase({ ...at, oids });
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
