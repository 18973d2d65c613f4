import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { parseMost, tipsOfAll } from './log-selection.ts';
import { parseWords } from './parse-words.ts';
import { walkCommits } from './walk-commits.ts';

/** The ids of commits, or how many there are: of `HEAD`, of revisions without what `^A` or `A..B` leaves out, or of all branches. */
export const revList: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['count', 'reverse', 'all'], values: ['max-count n'] });
  if (parsed.paths.length > 0)
    throw new GitCommandError('fatal: the git of a shell lists no commits by path; git log -- <path> does');
  const most = parseMost(parsed.value('max-count') ?? parsed.value('n')) ?? Number.POSITIVE_INFINITY;
  const repository = await git.open();
  const { included, excluded } = await endsOf(repository, parsed.operands);
  const tips = parsed.has('all') ? [...included, ...(await tipsOfAll(git, repository))] : included;
  if (tips.length === 0 && parsed.operands.length === 0) tips.push(await repository.commitOf('HEAD'));
  const without = new Set<string>();
  if (excluded.length > 0)
    for await (const { id } of walkCommits(repository, { tips: excluded })) without.add(id);
  const counts = parsed.has('count');
  const reverses = parsed.has('reverse');
  const ids: string[] = [];
  let count = 0;
  for await (const { id } of walkCommits(repository, { tips, without })) {
    if (count >= most) break;
    count++;
    if (counts) continue;
    if (reverses) ids.push(id);
    else git.out.add(`${id}\n`);
    if (git.out.isFull) await git.out.flush();
  }
  if (counts) git.out.add(`${count}\n`);
  else
    git.out.add(
      ids
        .reverse()
        .map((id) => `${id}\n`)
        .join(''),
    );
  return 0;
};

/** @throws GitCommandError, NotFoundError */
async function endsOf(
  repository: Repository,
  operands: readonly string[],
): Promise<{ readonly included: string[]; readonly excluded: string[] }> {
  const included: string[] = [];
  const excluded: string[] = [];
  for (const operand of operands) {
    if (operand.includes('...'))
      throw new GitCommandError(
        `fatal: ${operand}: the git of a shell has no symmetric difference; git merge-base tells where it begins`,
      );
    const [, from, to = ''] = /^(.*?)\.\.(.*)$/.exec(operand) ?? [];
    if (from !== undefined) {
      excluded.push(await repository.commitOf(from || 'HEAD'));
      included.push(await repository.commitOf(to || 'HEAD'));
    } else if (operand.startsWith('^')) excluded.push(await repository.commitOf(operand.slice(1)));
    else included.push(await repository.commitOf(operand));
  }
  return { included, excluded };
}
