import { limits } from '../../../../protocol/limits.ts';
import { objectOf, treeNamed } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCommand } from './git-call.ts';
import { parseWords } from './parse-words.ts';

/** The entries of a tree. */
export const lsTree: GitCommand = async (git, words) => {
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
  const isWhole = parsed.has('full-tree') || git.cwd === git.directory;
  const here = isWhole ? '' : `${git.cwd.slice(git.directory.length + 1)}/`;
  const wanted =
    isWhole && !parsed.has('full-tree')
      ? git.treePaths(paths)
      : paths.map((path) => `${here}${path.replace(/\/$/, '')}`);
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
    const shown = parsed.has('full-name') ? path : path.slice(here.length);
    const name = parsed.has('null') ? shown : repository.quoted(shown);
    git.out.add(
      parsed.has('object-only') ? `${oid}${end}` : `${parsed.has('name-only') ? '' : what}${name}${end}`,
    );
    if (git.out.isFull) await git.out.flush();
  };
  const list = async (tree: string, prefix: string): Promise<void> => {
    for (const entry of (await library.readTree({ ...at, oid: tree })).tree) {
      signal.throwIfAborted();
      const path = `${prefix}${entry.path}`;
      if (path.length > limits.gitPathBytes)
        throw new GitCommandError(`fatal: a path has more than ${limits.gitPathBytes} bytes`);
      const isIn =
        (wanted.length === 0 && path.startsWith(here)) ||
        wanted.some((each) => each === '.' || path === each || path.startsWith(`${each}/`));
      const isAbove =
        (wanted.length === 0 && here.startsWith(`${path}/`)) ||
        wanted.some((each) => each.startsWith(`${path}/`)) ||
        paths.some((each) => each === `${path}/`);
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

/** What an object is, or has. */
export const catFile: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['p', 't', 's', 'e'] });
  const [name] = parsed.operands.slice(-1);
  const kind = parsed.operands.length === 2 ? parsed.operands[0] : undefined;
  const isKind = kind !== undefined && ['blob', 'tree', 'commit', 'tag'].includes(kind);
  if (name === undefined || (!isKind && !['p', 't', 's', 'e'].some((each) => parsed.has(each))))
    throw new GitCommandError('usage: git cat-file (-p | -t | -s | -e) <object>', 129);
  const repository = await git.open();
  const { library, at } = repository;
  const found = await objectOf(repository, name).catch(() => undefined);
  if (found === undefined) {
    if (parsed.has('e')) return 1;
    throw new GitCommandError(`fatal: Not a valid object name ${name}`);
  }
  const oid =
    isKind && kind !== found.type
      ? (await objectOf(repository, `${name}^{${kind}}`).catch(() => undefined))?.oid
      : found.oid;
  if (oid === undefined) throw new GitCommandError(`fatal: git cat-file ${name}: bad file`);
  const object = await library.readObject({ ...at, oid, format: 'content' });
  const bytes = object.object as Uint8Array;
  if (parsed.has('e')) return 0;
  if (parsed.has('t')) git.out.add(`${object.type}\n`);
  else if (parsed.has('s')) git.out.add(`${bytes.length}\n`);
  else if (object.type === 'tree' && !isKind) {
    for (const { mode, type, oid, path } of (await library.readTree({ ...at, oid: object.oid })).tree)
      git.out.add(`${mode.padStart(6, '0')} ${type} ${oid}\t${repository.quoted(path)}\n`);
  } else await git.call.stdout.write(bytes, git.call.signal);
  return 0;
};
