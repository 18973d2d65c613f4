import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { moveFiles } from '../../../../sandbox/git/library/move-files.ts';
import {
  addToReflog,
  noCommit,
  type ReflogEntry,
  readReflog,
  writeReflog,
} from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { PathChange, TreeFile } from '../../../../sandbox/git/library/tree-changes.ts';
import { contentOf, FilesLook, fileChanges, filesOfTree } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { changeFlags, changesText, changeValues, chosenChanges, showsChanges } from './change-output.ts';
import { checkoutCommands } from './checkout-commands.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { readHistoryCommit, signatureLine, subjectOf } from './history-commit.ts';
import { logCommands } from './log-command.ts';
import { removeState } from './operation-state.ts';
import { parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';
import { applyStash } from './stash-apply.ts';
import { untrackedFiles, writeStash } from './stash-save.ts';
import { longStatus } from './status-command.ts';
import { workStatus } from './work-status.ts';

const ref = 'refs/stash';

const stash: GitCommand = async (git, words) => {
  const [first = 'push', ...rest] = words;
  switch (first) {
    case 'list': {
      const { log } = logCommands;
      return log && (await entries(await git.open())).length > 0
        ? log(git, ['-g', '--format=%gd: %gs', '--first-parent', '-m', ...rest, ref])
        : 0;
    }
    case 'show':
      return show(git, rest);
    case 'drop':
    case 'clear':
      return git.change(async (repository) => {
        if (first === 'clear') await removeAll(repository);
        else
          await drop(git, repository, {
            ...(await chosen(repository, rest.filter((word) => !word.startsWith('-'))[0])),
            isQuiet: rest.includes('-q') || rest.includes('--quiet'),
          });
        return 0;
      });
    case 'apply':
    case 'pop':
    case 'branch':
      return bringBack(git, first, rest);
    case 'push':
      return push(git, words[0] === 'push' ? rest : words);
    case 'save':
      return push(git, [
        ...rest.filter((word) => word.startsWith('-')),
        ...(rest.some((word) => !word.startsWith('-'))
          ? ['-m', rest.filter((word) => !word.startsWith('-')).join(' ')]
          : []),
      ]);
    default:
      if (first.startsWith('-')) return push(git, words);
      throw new NotInShellError(`fatal: the git of a shell has no 'stash ${first}'`, 128);
  }
};

export const stashCommands: Readonly<Record<string, GitCommand>> = { stash };

async function entries(repository: Repository): Promise<ReflogEntry[]> {
  return readReflog(repository, ref);
}

async function push(git: GitCall, words: readonly string[]): Promise<number> {
  const parsed = parseWords(words, {
    flags: [
      'include-untracked u',
      'all a',
      'keep-index k',
      'no-keep-index',
      'quiet q',
      'patch p',
      'staged S',
    ],
    values: ['message m'],
  });
  for (const option of ['patch', 'staged'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of stash`);
  return git.change(async (repository) => {
    const head = await repository.head();
    if (head === undefined) throw new GitCommandError('fatal: You do not have the initial commit yet', 1);
    const paths = git.treePaths([...parsed.operands, ...parsed.paths]);
    const rows = await indexRows(repository);
    if (rows.some(({ stage }) => stage > 0))
      throw new GitCommandError(
        'error: the index has conflicts\nfatal: Cannot save the current index state',
        1,
      );
    const headFiles = await filesOfTree(repository, head);
    const look = await FilesLook.open(repository);
    const staged = new Map(rows.map((row) => [row.path, row]));
    const now = new Map<string, TreeFile>();
    const changes: PathChange[] = [];
    let isAny = false;
    for (const path of new Set([...headFiles.keys(), ...staged.keys()])) {
      const [row, before] = [staged.get(path), headFiles.get(path)];
      const present = row || before ? await look.at(path, row) : undefined;
      const isAsked = isWithinPaths(paths, path);
      const kept = isAsked ? (row ? present : undefined) : before;
      if (kept) now.set(path, { oid: kept.oid, mode: kept.mode });
      if (!isAsked) continue;
      const isSame = (one: TreeFile | undefined, other: TreeFile | undefined) =>
        one?.oid === other?.oid && one?.mode === other?.mode;
      if (isSame(kept, before) && isSame(row, before)) continue;
      isAny = true;
      if (present && kept && !isSame(kept, row))
        await repository.library.writeBlob({ ...repository.at, blob: await contentOf(repository, present) });
      changes.push({ path, older: present, newer: parsed.has('keep-index') ? row : before });
    }
    const takes = parsed.has('include-untracked') || parsed.has('all');
    const unknown = takes
      ? await untrackedFiles(repository, { rows, paths, isAll: parsed.has('all') })
      : new Map<string, TreeFile>();
    if (!isAny && unknown.size === 0) {
      if (!parsed.has('quiet')) git.out.add('No local changes to save\n');
      return 0;
    }
    const place = (await repository.branch()) ?? '(no branch)';
    const on = `${place}: ${head.slice(0, 7)} ${subjectOf((await readHistoryCommit(repository, head)).message)}`;
    const message = parsed.has('message') ? `On ${place}: ${parsed.value('message')}` : `WIP on ${on}`;
    const id = await writeStash(git, repository, { head, now, unknown, message, on });
    const by = signatureLine(await git.signature(repository, 'COMMITTER'));
    const last = (await entries(repository)).at(-1)?.newer ?? noCommit;
    await addToReflog(repository, ref, { older: last, newer: id, by, message }, { keepsAll: true });
    await repository.library.writeRef({ ...repository.at, ref, value: id, force: true });
    for (const path of unknown.keys())
      changes.push({ path, older: await look.at(path, undefined), newer: undefined });
    await moveFiles(repository, { changes, force: true, finish: async () => {}, what: 'fatal' });
    if (!parsed.has('quiet')) git.out.add(`Saved working directory and index state ${message}\n`);
    return 0;
  });
}

/** The entry that a word names: `stash@{1}`, or `1`. @throws GitCommandError */
async function chosen(
  repository: Repository,
  word: string | undefined,
): Promise<{ readonly id: string; readonly index: number; readonly name: string }> {
  const [, digits] = /^(?:(?:refs\/)?stash@\{)?(\d+)\}?$/.exec(word ?? '0') ?? [];
  if (digits === undefined) throw new GitCommandError(`error: ${word} is not a valid reference`, 1);
  const all = await entries(repository);
  const index = Number(digits);
  const entry = all.at(-1 - index);
  if (!entry)
    throw new GitCommandError(
      all.length === 0
        ? 'error: No stash entries found.'
        : `error: stash@{${index}} is not a valid reference`,
      1,
    );
  return { id: entry.newer, index, name: word?.includes('@') ? word : `refs/stash@{${index}}` };
}

async function drop(
  git: GitCall,
  repository: Repository,
  {
    id,
    index,
    name,
    isQuiet,
  }: { readonly id: string; readonly index: number; readonly name: string; readonly isQuiet: boolean },
): Promise<void> {
  const left = (await entries(repository)).reverse();
  left.splice(index, 1);
  if (left.length === 0) await removeAll(repository);
  else {
    const kept = left
      .reverse()
      .map((entry, at, all) => ({ ...entry, older: all[at - 1]?.newer ?? noCommit }));
    await writeReflog(repository, ref, kept, { keepsAll: true });
    await repository.library.writeRef({
      ...repository.at,
      ref,
      value: kept.at(-1)?.newer ?? '',
      force: true,
    });
  }
  if (!isQuiet) git.out.add(`Dropped ${name} (${id})\n`);
}

async function removeAll(repository: Repository): Promise<void> {
  if ((await entries(repository)).length === 0) return;
  await repository.library.deleteRef({ ...repository.at, ref });
  await removeState(repository, [`logs/${ref}`]);
}

async function show(git: GitCall, words: readonly string[]): Promise<number> {
  const parsed = parseWords(words, {
    flags: ['include-untracked', 'only-untracked', ...changeFlags],
    values: [...changeValues],
  });
  for (const option of ['include-untracked', 'only-untracked'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of stash show`);
  const repository = await git.open();
  const { id } = await chosen(repository, parsed.operands[0]);
  const commit = await readHistoryCommit(repository, id);
  const changes = await fileChanges(repository, {
    older: { tree: commit.parents[0] ?? '' },
    newer: { tree: commit.tree },
  });
  const usual = showsChanges(parsed)
    ? parsed
    : { ...parsed, has: (name: string) => name === 'stat' || parsed.has(name) };
  git.out.add(
    await changesText(repository, await chosenChanges(repository, changes, { parsed, paths: [] }), {
      parsed: usual,
    }),
  );
  return 0;
}

async function bringBack(
  git: GitCall,
  verb: 'apply' | 'pop' | 'branch',
  words: readonly string[],
): Promise<number> {
  const parsed = parseWords(words, { flags: ['index', 'quiet q'] });
  const operands = [...parsed.operands];
  const branch = verb === 'branch' ? operands.shift() : undefined;
  if (verb === 'branch') {
    if (branch === undefined) throw new GitCommandError('No branch name specified', 1);
    const { id } = await chosen(await git.open(), operands[0]);
    const { parents } = await readHistoryCommit(await git.open(), id);
    const status = await checkoutCommands.checkout?.(git, ['-b', branch, parents[0] ?? '']);
    if (status !== 0) return status ?? 1;
  }
  return git.change(async (repository) => {
    const entry = await chosen(repository, operands[0]);
    const commit = await readHistoryCommit(repository, entry.id);
    if (commit.parents.length < 2)
      throw new GitCommandError(`fatal: '${entry.id}' is not a stash-like commit`, 1);
    const isClean = await applyStash(git, repository, {
      commit,
      withIndex: parsed.has('index') || verb === 'branch',
    });
    if (!parsed.has('quiet')) await longStatus(git, repository, { found: await workStatus(repository) });
    if (!isClean) {
      if (verb !== 'apply') git.out.add('The stash entry is kept in case you need it again.\n');
      return 1;
    }
    if (verb !== 'apply') await drop(git, repository, { ...entry, isQuiet: parsed.has('quiet') });
    return 0;
  });
}
