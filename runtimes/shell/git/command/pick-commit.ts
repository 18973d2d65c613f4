import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { Favor } from '../merge/merge-lines.ts';
import { mergeTrees } from '../merge/merge-trees.ts';
import type { GitCall } from './git-call.ts';
import { type HistoryCommit, subjectOf } from './history-commit.ts';
import { cleanMessage, headTreeOf, writeCommit, writeIndexTree } from './make-commit.ts';
import { moveRef } from './move-ref.ts';
import { writeStateFile } from './operation-state.ts';
import { applyMerge } from './switch-tree.ts';

export interface Pick {
  readonly commit: HistoryCommit;
  readonly kind: 'cherry-pick' | 'revert' | 'rebase';
  readonly message: string;
  /** Which parent of a merge is the line that it is taken from. */
  readonly mainline?: number | undefined;
  readonly favor?: Favor;
  readonly commits?: boolean;
  readonly allowsEmpty?: boolean;
}

export type Picked =
  | { readonly kind: 'made'; readonly id: string }
  | { readonly kind: 'conflict' | 'empty' | 'staged' };

/** Brings what a commit changed into index and files, or takes it back, and commits that. Conflicts stay in index and files. */
export async function pickCommit(git: GitCall, repository: Repository, pick: Pick): Promise<Picked> {
  const { commit, kind, favor } = pick;
  const short = commit.id.slice(0, 7);
  const parent = parentOf(pick);
  const verb = kind === 'rebase' ? 'merge' : kind;
  const ours = await headTreeOf(repository);
  const older = parent === undefined ? emptyTree : (await readCommitParts(repository, parent)).tree;
  const [base, theirs] = kind === 'revert' ? [commit.tree, older] : [older, commit.tree];
  const name = `${short} (${subjectOf(commit.message)})`;
  const labels = { ours: 'HEAD', theirs: kind === 'revert' ? `parent of ${name}` : name };
  const merged = await mergeTrees(repository, { base, ours, theirs, labels, favor });
  await applyMerge(repository, { merged, verb });
  if (kind !== 'rebase' || !merged.isClean) for (const line of merged.messages) git.out.add(`${line}\n`);
  const conflicts = merged.paths.filter(({ sides }) => sides).map(({ path }) => `#\t${path}\n`);
  if (!merged.isClean || pick.commits === false) {
    await writeStateFile(
      repository,
      'MERGE_MSG',
      `${pick.message}${conflicts.length > 0 ? `\n# Conflicts:\n${conflicts.join('')}` : ''}`,
    );
    // Of a rebase, its own files tell; what is only staged of a pick is no pick under way, of a revert it is.
    if (kind === 'revert') await writeStateFile(repository, 'REVERT_HEAD', `${commit.id}\n`);
    else if (kind === 'cherry-pick' && !merged.isClean)
      await writeStateFile(repository, 'CHERRY_PICK_HEAD', `${commit.id}\n`);
    if (merged.isClean) return { kind: 'staged' };
    return { kind: 'conflict' };
  }
  const tree = await writeIndexTree(repository);
  const head = await repository.head();
  if (tree === ours && !pick.allowsEmpty && tree !== older) return { kind: 'empty' };
  if (tree === ours && kind === 'revert') return { kind: 'empty' };
  const author = kind === 'revert' ? await git.signature(repository, 'AUTHOR') : commit.author;
  const id = await writeCommit(git, repository, {
    tree,
    parents: head === undefined ? [] : [head],
    message: cleanMessage(pick.message),
    author,
  });
  const log = kind === 'rebase' ? 'rebase (pick)' : kind;
  await moveRef(git, repository, { ref: 'HEAD', oid: id, message: `${log}: ${subjectOf(pick.message)}` });
  return { kind: 'made', id };
}

function parentOf({ commit, kind, mainline }: Pick): string | undefined {
  const { id, parents } = commit;
  if (parents.length > 1 && mainline === undefined)
    throw new GitCommandError(
      `error: commit ${id} is a merge but no -m option was given.\nfatal: ${kind} failed`,
    );
  if (mainline === undefined) return parents[0];
  const parent = parents[mainline - 1];
  if (parent === undefined || parents.length < 2)
    throw new GitCommandError(
      parents.length < 2
        ? `error: mainline was specified but commit ${id} is not a merge.\nfatal: ${kind} failed`
        : `error: commit ${id} does not have parent ${mainline}\nfatal: ${kind} failed`,
    );
  return parent;
}
