import { readReflog } from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { fullRef } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError } from '../git-command-error.ts';
import { type HistoryCommit, readHistoryCommit } from './history-commit.ts';
import type { ReflogPlace } from './log-format.ts';
import type { ParsedWords } from './parse-words.ts';

/** A commit to show, with what the log of a ref says of it where that is walked. */
export interface ShownCommit {
  readonly commit: HistoryCommit;
  readonly place?: ReflogPlace | undefined;
}

/** Where a ref was, the last first. @throws GitCommandError */
export async function* reflogCommits(
  repository: Repository,
  { operands }: Pick<ParsedWords, 'operands'>,
): AsyncGenerator<ShownCommit> {
  const [name = 'HEAD'] = operands;
  const ref = await fullRef(repository, name);
  if (ref === undefined)
    throw new GitCommandError(
      `fatal: ambiguous argument '${name}': unknown revision or path not in the working tree.`,
    );
  const entries = (await readReflog(repository, ref)).reverse();
  for (const [index, { newer, message }] of entries.entries()) {
    const commit = await readHistoryCommit(repository, newer).catch(() => undefined);
    const short = name.replace(/^refs\/heads\//, '');
    if (commit)
      yield { commit, place: { name: `${short === 'refs/stash' ? 'stash' : short}@{${index}}`, message } };
  }
}
