import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitMergeAsk, GitMerged, GitPerson } from '../../../protocol/sandbox/git.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { mergeConflict } from '../merge-conflict.ts';
import { gitStepFailure } from './git-failure.ts';
import { readHead } from './read-head.ts';
import { runGit } from './run-git.ts';
import { reading, runStep } from './run-step.ts';

interface Merging {
  readonly processes: ProcessStarter;
  readonly directory: string;
  readonly what: string;
}

/** Whatever a branch has for merges, this is one: all of it, with a commit where both have some, and without an editor. */
const plain = ['--quiet', '--no-edit', '--ff', '--commit', '--no-squash', '--no-autostash'];

/**
 * Merges into HEAD. Where git stops at files that both sides have changed, it is told to give the merge up: branch, index
 * and files are as before. @throws conflict, with `details.paths`, and what git fails with
 */
export async function mergeBranches(
  merging: Merging,
  { ref, author }: Pick<GitMergeAsk, 'ref' | 'author'>,
): Promise<GitMerged> {
  const { processes, directory, what } = merging;
  if (await isMerging(merging)) {
    throw new SandboxError('conflict', `${what}: another merge is under way`, {
      details: { remedy: 'Conclude it, or give it up, at the prompt.' },
    });
  }
  const before = await readHead(processes, directory, what);
  const args = ['merge', ...plain, ref];
  const merge = { directory, what, args, envs: authorSettings(author) };
  const output = await runGit(processes, merge).catch(async (error: unknown) => {
    // One that was killed at its time limit.
    await giveUp(merging).catch(() => undefined);
    throw error;
  });
  if (output.exitCode !== 0) {
    const paths = await conflictingPaths(merging);
    await giveUp(merging);
    if (paths.length > 0) throw mergeConflict(what, paths);
    throw gitStepFailure(what, output.said || output.stdout.slice(-limits.gitSaidCharacters));
  }
  const after = await readHead(processes, directory, what);
  if (after.head === before.head) return { ...after, kind: 'up-to-date' };
  const merged = { directory, what, envs: reading, args: ['rev-parse', '--verify', `${ref}^{commit}`] };
  const { stdout } = await runStep(processes, merged);
  return { ...after, kind: stdout.trim() === after.head ? 'fast-forward' : 'merge' };
}

/** Who a commit is by, as git's environment has it; who is configured by default. */
export function authorSettings(author: GitPerson | undefined): Readonly<Record<string, string>> | undefined {
  if (!author) return undefined;
  const { name, email } = author;
  return {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  };
}

async function isMerging({ processes, directory, what }: Merging): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'];
  return (await runStep(processes, { directory, what, args, envs: reading }, [0, 1])).exitCode === 0;
}

async function giveUp(merging: Merging): Promise<void> {
  const { processes, directory, what } = merging;
  if (await isMerging(merging)) await runStep(processes, { directory, what, args: ['merge', '--abort'] });
}

async function conflictingPaths({ processes, directory, what }: Merging): Promise<string[]> {
  const args = ['diff', '--name-only', '--diff-filter=U', '--no-ext-diff', '-z'];
  const { stdout } = await runStep(processes, { directory, what, args, envs: reading });
  return [...new Set(stdout.split('\0').filter((path) => path !== ''))];
}
