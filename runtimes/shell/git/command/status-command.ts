import { readReflog } from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { modeText, pathOf } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { operationText, operationUnderWay } from './operation-state.ts';
import { parseWords } from './parse-words.ts';
import { areAllPaths, isWithinPaths } from './path-patterns.ts';
import { upstreamState } from './upstream-state.ts';
import { shortLetters, type WorkStatus, workStatus } from './work-status.ts';

const verbs: Readonly<Record<string, string>> = {
  A: 'new file:   ',
  M: 'modified:   ',
  D: 'deleted:    ',
  R: 'renamed:    ',
  T: 'typechange: ',
};
const conflicts: Readonly<Record<string, string>> = {
  UU: 'both modified:   ',
  AA: 'both added:      ',
  DD: 'both deleted:    ',
  UD: 'deleted by them: ',
  DU: 'deleted by us:   ',
  UA: 'added by them:   ',
  AU: 'added by us:     ',
};

const status: GitCommand = async (git, words) => {
  const { has, value, operands, paths } = parseWords(words, {
    flags: [
      'short s',
      'branch b',
      'null z',
      'long',
      'porcelain',
      'ignored',
      'untracked-files u',
      'no-renames',
      'ahead-behind',
      'uno',
      'unormal',
      'uall',
    ],
  });
  const version = value('porcelain');
  if (version !== undefined && !['', 'v1', '1', 'v2', '2'].includes(version))
    throw new GitCommandError(`fatal: unsupported porcelain version '${version}'`);
  const isPorcelain = has('porcelain') || has('null');
  const repository = await git.open();
  const untracked = untrackedMode(
    value('untracked-files') ?? (await repository.setting('status.showuntrackedfiles')),
  );
  const wanted = git.treePaths([...operands, ...paths]);
  const found = within(await workStatus(repository, { untracked, ignored: has('ignored') }), wanted);
  if (version === 'v2' || version === '2') await secondVersion(git, repository, { found, has });
  else if ((isPorcelain || has('short')) && !has('long')) await shortStatus(git, repository, { found, has });
  else
    await longStatus(git, repository, {
      found,
      showsIgnored: has('ignored'),
      hidesUntracked: untracked === 'no',
    });
  return 0;
};

export const statusCommands: Readonly<Record<string, GitCommand>> = { status };

function untrackedMode(text: string | undefined): 'no' | 'normal' | 'all' {
  if (text === undefined || text === 'normal') return 'normal';
  if (text === '' || text === 'all') return 'all';
  if (text === 'no' || text === 'false') return 'no';
  throw new GitCommandError(`fatal: Invalid untracked files mode '${text}'`);
}

function within(found: WorkStatus, paths: readonly string[]): WorkStatus {
  if (areAllPaths(paths)) return found;
  const isIn = (path: string) =>
    isWithinPaths(paths, path.replace(/\/$/, '')) ||
    (path.endsWith('/') && paths.some((each) => each.startsWith(path)));
  return {
    ...found,
    staged: found.staged.filter((change) => isIn(pathOf(change))),
    unstaged: found.unstaged.filter((change) => isIn(pathOf(change))),
    unmerged: new Map([...found.unmerged].filter(([path]) => isIn(path))),
    untracked: found.untracked.filter(isIn),
    ignored: found.ignored.filter(isIn),
  };
}

interface Asked {
  readonly found: WorkStatus;
  readonly has: (name: string) => boolean;
}

async function shortStatus(git: GitCall, repository: Repository, { found, has }: Asked): Promise<void> {
  const end = has('null') ? '\0' : '\n';
  const isPorcelain = has('porcelain') || has('null');
  const shown = (path: string) => {
    if (has('null')) return path;
    const text = repository.quoted(isPorcelain ? path : git.shownPath(path));
    return path.includes(' ') && !text.startsWith('"') ? `"${text}"` : text;
  };
  if (has('branch')) git.out.add(`## ${await branchLine(repository, found)}${end}`);
  const renamed = new Map(
    found.staged.flatMap((change) =>
      change.kind === 'R' ? [[pathOf(change), change.older?.path ?? ''] as const] : [],
    ),
  );
  for (const [path, letters] of shortLetters(found)) {
    const from = renamed.get(path);
    if (from === undefined) git.out.add(`${letters} ${shown(path)}${end}`);
    else if (has('null')) git.out.add(`${letters} ${path}\0${from}\0`);
    else git.out.add(`${letters} ${shown(from)} -> ${shown(path)}\n`);
  }
  for (const path of found.untracked) git.out.add(`?? ${shown(path)}${end}`);
  if (has('ignored')) for (const path of found.ignored) git.out.add(`!! ${shown(path)}${end}`);
}

async function branchLine(repository: Repository, { branch, head }: WorkStatus): Promise<string> {
  if (head === undefined) return `No commits yet on ${branch}`;
  if (branch === undefined) return 'HEAD (no branch)';
  const upstream = await upstreamState(repository, branch);
  if (!upstream) return branch;
  const { name, ahead, behind, isGone } = upstream;
  const counts = [ahead > 0 ? `ahead ${ahead}` : '', behind > 0 ? `behind ${behind}` : '']
    .filter(Boolean)
    .join(', ');
  const state = isGone ? 'gone' : counts;
  return `${branch}...${name}${state === '' ? '' : ` [${state}]`}`;
}

async function secondVersion(git: GitCall, repository: Repository, { found, has }: Asked): Promise<void> {
  const end = has('null') ? '\0' : '\n';
  if (has('branch')) {
    git.out.add(
      `# branch.oid ${found.head ?? '(initial)'}${end}# branch.head ${found.branch ?? '(detached)'}${end}`,
    );
    const upstream = found.branch === undefined ? undefined : await upstreamState(repository, found.branch);
    if (upstream) {
      git.out.add(`# branch.upstream ${upstream.name}${end}`);
      if (!upstream.isGone) git.out.add(`# branch.ab +${upstream.ahead} -${upstream.behind}${end}`);
    }
  }
  if (found.unmerged.size > 0)
    throw new NotInShellError(
      'fatal: the git of a shell shows no conflicts in --porcelain=v2; --porcelain does',
      128,
    );
  const zero = '0'.repeat(40);
  for (const [path, letters] of shortLetters(found)) {
    const staged = found.staged.find((change) => pathOf(change) === path);
    const unstaged = found.unstaged.find((change) => pathOf(change) === path);
    const index = staged ? staged.newer : unstaged?.older;
    const head = staged ? staged.older : unstaged?.older;
    const files = unstaged ? unstaged.newer : index;
    const ids = `N... ${modeText(head?.mode)} ${modeText(index?.mode)} ${modeText(files?.mode)} ${head?.oid ?? zero} ${index?.oid ?? zero}`;
    const name = has('null') ? path : repository.quoted(path);
    const mark = letters.replaceAll(' ', '.');
    if (staged?.kind === 'R')
      git.out.add(
        `2 ${mark} ${ids} R${staged.score} ${name}${has('null') ? '\0' : '\t'}${staged.older?.path}${end}`,
      );
    else git.out.add(`1 ${mark} ${ids} ${name}${end}`);
  }
  for (const path of found.untracked) git.out.add(`? ${has('null') ? path : repository.quoted(path)}${end}`);
  if (has('ignored'))
    for (const path of found.ignored) git.out.add(`! ${has('null') ? path : repository.quoted(path)}${end}`);
}

/** The long form, which `commit` prints too where there is nothing to commit. */
export async function longStatus(
  git: GitCall,
  repository: Repository,
  {
    found,
    showsIgnored = false,
    hidesUntracked = false,
    isOfCommit = false,
  }: {
    readonly found: WorkStatus;
    readonly showsIgnored?: boolean;
    readonly hidesUntracked?: boolean;
    readonly isOfCommit?: boolean;
  },
): Promise<void> {
  const { branch, head, staged, unstaged, unmerged, untracked, ignored } = found;
  const operation = await operationUnderWay(repository);
  if (branch !== undefined) git.out.add(`On branch ${branch}\n`);
  else if (operation?.kind === 'rebase')
    git.out.add(
      `${operation.isInteractive ? 'interactive ' : ''}rebase in progress; onto ${operation.onto.slice(0, 7)}\n`,
    );
  else git.out.add(`${await detachedLine(repository, head)}\n`);
  const upstream = branch === undefined ? undefined : await upstreamState(repository, branch);
  if (upstream && head !== undefined) git.out.add(`${upstream.text}\n`);
  if (operation) git.out.add(await operationText(operation, { hasConflicts: unmerged.size > 0, repository }));
  if (head === undefined) git.out.add(`\n${isOfCommit ? 'Initial commit' : 'No commits yet'}\n\n`);
  const name = (path: string) => repository.quoted(git.shownPath(path));
  if (staged.length > 0) {
    const hint =
      operation && operation.kind !== 'rebase'
        ? ''
        : head === undefined
          ? '  (use "git rm --cached <file>..." to unstage)\n'
          : '  (use "git restore --staged <file>..." to unstage)\n';
    const lines = staged.map((change) => {
      const from = change.kind === 'R' ? `${name(change.older?.path ?? '')} -> ` : '';
      return `\t${verbs[change.kind] ?? ''}${from}${name(pathOf(change))}\n`;
    });
    git.out.add(`Changes to be committed:\n${hint}${lines.join('')}\n`);
  }
  if (unmerged.size > 0) {
    const isGone = [...unmerged.values()].some((letters) => letters.includes('D'));
    const isAllGone = isGone && [...unmerged.values()].every((letters) => letters === 'DD');
    const mark = isAllGone ? 'rm' : isGone ? 'add/rm' : 'add';
    const unstage =
      (operation && operation.kind !== 'rebase') || head === undefined
        ? ''
        : '  (use "git restore --staged <file>..." to unstage)\n';
    const lines = [...unmerged].map(([path, letters]) => `\t${conflicts[letters]}${name(path)}\n`);
    git.out.add(
      `Unmerged paths:\n${unstage}  (use "git ${mark} <file>..." ${mark === 'add/rm' ? 'as appropriate ' : ''}to mark resolution)\n${lines.join('')}\n`,
    );
  }
  if (unstaged.length > 0) {
    const isGone = unstaged.some(({ kind }) => kind === 'D');
    const lines = unstaged.map((change) => `\t${verbs[change.kind] ?? ''}${name(pathOf(change))}\n`);
    git.out.add(
      `Changes not staged for commit:\n  (use "git add${isGone ? '/rm' : ''} <file>..." to update what will be committed)\n  (use "git restore <file>..." to discard changes in working directory)\n${lines.join('')}\n`,
    );
  }
  if (untracked.length > 0)
    git.out.add(
      `Untracked files:\n  (use "git add <file>..." to include in what will be committed)\n${untracked.map((path) => `\t${name(path)}\n`).join('')}\n`,
    );
  if (showsIgnored && ignored.length > 0)
    git.out.add(
      `Ignored files:\n  (use "git add -f <file>..." to include in what will be committed)\n${ignored.map((path) => `\t${name(path)}\n`).join('')}\n`,
    );
  if (hidesUntracked)
    git.out.add(
      staged.length > 0 ? 'Untracked files not listed (use -u option to show untracked files)\n' : '',
    );
  if (staged.length > 0) return;
  const isMerging = operation?.kind === 'merge' && unmerged.size === 0;
  if (isMerging) return;
  if (unstaged.length > 0 || unmerged.size > 0)
    git.out.add('no changes added to commit (use "git add" and/or "git commit -a")\n');
  else if (untracked.length > 0)
    git.out.add('nothing added to commit but untracked files present (use "git add" to track)\n');
  else if (head === undefined)
    git.out.add('nothing to commit (create/copy files and use "git add" to track)\n');
  else if (hidesUntracked) git.out.add('nothing to commit (use -u to show untracked files)\n');
  else git.out.add('nothing to commit, working tree clean\n');
}

/** Where HEAD was put, by its log; `from` where commits have come since. */
export async function detachedLine(repository: Repository, head: string | undefined): Promise<string> {
  const entries = await readReflog(repository, 'HEAD');
  const move = entries.findLast(({ message }) => message.startsWith('checkout: moving from '));
  const [, to = ''] = /^checkout: moving from \S+ to (\S+)$/.exec(move?.message ?? '') ?? [];
  if (to === '' || move === undefined) return `HEAD detached at ${head?.slice(0, 7)}`;
  const shown = /^[0-9a-f]{40}$/.test(to) ? to.slice(0, 7) : /[~^@]/.test(to) ? move.newer.slice(0, 7) : to;
  return `HEAD detached ${move.newer === head ? 'at' : 'from'} ${shown}`;
}
