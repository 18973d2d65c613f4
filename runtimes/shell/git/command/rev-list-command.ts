import { GitCommandError } from '../git-command-error.ts';
import type { GitCommand } from './git-call.ts';
import type { HistoryCommit } from './history-commit.ts';
import { commitTest, filterFlags, filterOptions, parseMost } from './log-selection.ts';
import { parseWords } from './parse-words.ts';
import { PathHistory } from './path-history.ts';
import { areAllPaths } from './path-patterns.ts';
import { refFlags, revisionRange } from './revision-range.ts';
import { inTopologicalOrder, walkHistory } from './walk-history.ts';

/** The ids of commits, or how many there are. */
export const revList: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'count',
      'reverse',
      'first-parent',
      'left-right',
      'parents',
      'topo-order',
      'abbrev-commit',
      ...refFlags,
      ...filterFlags,
    ],
    values: ['max-count n', 'skip', ...filterOptions],
  });
  const most = parseMost(parsed.value('max-count') ?? parsed.value('n')) ?? Number.POSITIVE_INFINITY;
  const skipped = parseMost(parsed.value('skip')) ?? 0;
  const repository = await git.open();
  if (parsed.operands.length === 0 && !refFlags.some((flag) => parsed.has(flag)))
    throw new GitCommandError('usage: git rev-list [<options>] <commit>... [--] [<path>...]', 129);
  const range = await revisionRange(git, repository, parsed);
  const paths = git.treePaths(range.paths);
  const test = commitTest(git, parsed);
  const counts = { left: 0, right: 0 };
  const lines: string[] = [];
  const history = areAllPaths(paths) ? undefined : new PathHistory(repository, paths);
  const walk = walkHistory(repository, { ...range, history, isFirstParent: parsed.has('first-parent') });
  const holdsBack = parsed.has('reverse') || parsed.has('topo-order');
  const take = async (commit: HistoryCommit): Promise<boolean> => {
    if (test && !test(commit)) return true;
    if (history && !(await history.isIn(commit))) return true;
    const isLeft = range.left.has(commit.id);
    const count = counts.left + counts.right;
    if (count >= most + skipped) return false;
    if (isLeft) counts.left += 1;
    else counts.right += 1;
    if (count < skipped || parsed.has('count')) return true;
    const mark = parsed.has('left-right') ? (isLeft ? '<' : '>') : '';
    const id = parsed.has('abbrev-commit') ? commit.id.slice(0, 7) : commit.id;
    const line = `${mark}${id}${parsed.has('parents') ? commit.parents.map((each) => ` ${each}`).join('') : ''}\n`;
    if (parsed.has('reverse')) lines.push(line);
    else git.out.add(line);
    if (git.out.isFull) await git.out.flush();
    return true;
  };
  if (holdsBack && parsed.has('topo-order')) {
    const all: HistoryCommit[] = [];
    for await (const commit of walk) all.push(commit);
    for (const commit of inTopologicalOrder(all)) if (!(await take(commit))) break;
  } else for await (const commit of walk) if (!(await take(commit))) break;
  git.out.add(lines.reverse().join(''));
  if (!parsed.has('count')) return 0;
  if (parsed.has('left-right')) git.out.add(`${counts.left}\t${counts.right}\n`);
  else git.out.add(`${Math.max(counts.left + counts.right - skipped, 0)}\n`);
  return 0;
};
