import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { readHistoryCommit, subjectOf } from './history-commit.ts';

/** What a command has left to be gone on with, in files as real git has them: either git can go on with what the other began. */
export type Operation =
  | { readonly kind: 'merge'; readonly commits: readonly string[] }
  | { readonly kind: 'cherry-pick' | 'revert'; readonly commit: string }
  | {
      readonly kind: 'rebase';
      readonly isInteractive: boolean;
      readonly branch: string;
      readonly onto: string;
    };

export async function operationUnderWay(repository: Repository): Promise<Operation | undefined> {
  const merging = await stateFile(repository, 'MERGE_HEAD');
  if (merging !== undefined)
    return { kind: 'merge', commits: merging.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line)) };
  for (const folder of ['rebase-merge', 'rebase-apply']) {
    const onto = await stateFile(repository, `${folder}/onto`);
    if (onto === undefined) continue;
    const branch = ((await stateFile(repository, `${folder}/head-name`)) ?? '').trim();
    return {
      kind: 'rebase',
      isInteractive: (await stateFile(repository, `${folder}/interactive`)) !== undefined,
      branch,
      onto: onto.trim(),
    };
  }
  const picked = await stateFile(repository, 'CHERRY_PICK_HEAD');
  if (picked !== undefined) return { kind: 'cherry-pick', commit: picked.trim() };
  const reverted = await stateFile(repository, 'REVERT_HEAD');
  return reverted === undefined ? undefined : { kind: 'revert', commit: reverted.trim() };
}

/** A file of `.git`; `undefined` where it is not there. */
export async function stateFile({ at }: Repository, name: string): Promise<string | undefined> {
  return at.fs.promises.readFile(`${at.dir}/.git/${name}`, 'utf8').then(String, () => undefined);
}

export async function writeStateFile({ at }: Repository, name: string, text: string): Promise<void> {
  const { promises } = at.fs;
  const directory = name.includes('/') ? `${at.dir}/.git/${name.slice(0, name.lastIndexOf('/'))}` : undefined;
  if (directory !== undefined) {
    const isThere = await promises.lstat(directory).then(
      () => true,
      () => false,
    );
    if (!isThere) await promises.mkdir(directory);
  }
  await promises.writeFile(`${at.dir}/.git/${name}`, text);
}

/** Removes files of `.git`, or directories with their files. */
export async function removeState({ at }: Repository, names: readonly string[]): Promise<void> {
  const { promises } = at.fs;
  for (const name of names) {
    const path = `${at.dir}/.git/${name}`;
    const stat = await promises.lstat(path).catch(() => undefined);
    if (!stat) continue;
    if (!stat.isDirectory()) {
      await promises.unlink(path);
      continue;
    }
    for (const each of await promises.readdir(path)) await promises.unlink(`${path}/${each}`);
    await promises.rmdir(path);
  }
}

/** All that a merge, a pick or a revert of one commit leaves between commands. */
export const mergeState: readonly string[] = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'AUTO_MERGE',
  'SQUASH_MSG',
];

/** As `status` tells it. */
export async function operationText(
  operation: Operation,
  { hasConflicts, repository }: { readonly hasConflicts: boolean; readonly repository: Repository },
): Promise<string> {
  if (operation.kind === 'merge') {
    return hasConflicts
      ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\n'
      : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n\n';
  }
  if (operation.kind === 'rebase') return rebaseText(operation, { hasConflicts, repository });
  const { kind, commit } = operation;
  const verb = kind === 'revert' ? 'reverting' : 'cherry-picking';
  const next = hasConflicts
    ? `fix conflicts and run "git ${kind} --continue"`
    : `all conflicts fixed: run "git ${kind} --continue"`;
  return `You are currently ${verb} commit ${commit.slice(0, 7)}.\n  (${next})\n  (use "git ${kind} --skip" to skip this patch)\n  (use "git ${kind} --abort" to cancel the ${kind} operation)\n\n`;
}

async function rebaseText(
  { branch, onto, isInteractive }: Extract<Operation, { kind: 'rebase' }>,
  { hasConflicts, repository }: { readonly hasConflicts: boolean; readonly repository: Repository },
): Promise<string> {
  const listOf = async (name: string) => {
    const lines = ((await stateFile(repository, `rebase-merge/${name}`)) ?? '')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    return Promise.all(
      lines.map(async (line) => {
        const [, verb = '', id = ''] = /^(\S+) ([0-9a-f]+)/.exec(line) ?? [];
        const commit = await readHistoryCommit(repository, id).catch(() => undefined);
        return commit ? `   ${verb} ${commit.id.slice(0, 7)} ${subjectOf(commit.message)}\n` : `   ${line}\n`;
      }),
    );
  };
  let text = '';
  if (isInteractive) {
    const [done, todo] = [await listOf('done'), await listOf('git-rebase-todo')];
    if (done.length > 0)
      text += `Last command${done.length === 1 ? '' : 's'} done (${done.length} command${done.length === 1 ? '' : 's'} done):\n${done.slice(-2).join('')}`;
    if (done.length > 2) text += '  (see more in file .git/rebase-merge/done)\n';
    if (todo.length === 0) text += 'No commands remaining.\n';
    else
      text += `Next command${todo.length === 1 ? '' : 's'} to do (${todo.length} remaining command${todo.length === 1 ? '' : 's'}):\n${todo.slice(0, 2).join('')}  (use "git rebase --edit-todo" to view and edit)\n`;
  }
  const what = branch.startsWith('refs/heads/')
    ? `rebasing branch '${branch.slice(11)}' on '${onto.slice(0, 7)}'`
    : 'rebasing';
  const next = hasConflicts
    ? '  (fix conflicts and then run "git rebase --continue")\n  (use "git rebase --skip" to skip this patch)\n  (use "git rebase --abort" to check out the original branch)\n'
    : '  (all conflicts fixed: run "git rebase --continue")\n';
  return `${text}You are currently ${what}.\n${next}\n`;
}
