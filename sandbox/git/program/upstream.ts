import { limits } from '../../../protocol/limits.ts';
import type { GitUpstream } from '../../../protocol/sandbox/git.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { isRefName } from '../git-names.ts';
import { runGit } from './run-git.ts';
import { reading, runStep } from './run-step.ts';

/** The remote branch that a branch follows by the settings of the repository; else that of its name, of `origin`. */
export async function followedBranch(
  processes: ProcessStarter,
  directory: string,
  branch: string,
): Promise<{ readonly remote: string; readonly branch: string }> {
  const format = '--format=%(upstream:remotename)%00%(upstream:remoteref)';
  const args = ['for-each-ref', format, `refs/heads/${branch}`];
  const step = { directory, what: 'Cannot find the remote branch', args, envs: reading };
  const { stdout } = await runStep(processes, step);
  const [remote = '', ref = ''] = stdout.trimEnd().split('\0');
  const followed = ref.replace(/^refs\/heads\//, '');
  // What is configured is data; `.` would be a branch of this repository.
  if (!isRefName(remote) || !isRefName(followed)) return { remote: 'origin', branch };
  return { remote, branch: followed };
}

/** How far a branch is from the one that it follows; `undefined` where that is not there. */
export async function compareToUpstream(
  processes: ProcessStarter,
  directory: string,
  current: string,
): Promise<GitUpstream | undefined> {
  const { remote, branch } = await followedBranch(processes, directory, current);
  const name = `${remote}/${branch}`;
  const most = limits.gitComparedCommits;
  const sides = `HEAD...refs/remotes/${name}`;
  const args = ['rev-list', '--left-right', '--count', `--max-count=${most}`, sides, '--'];
  // Where there is no such branch, or no commit yet, git fails.
  const { exitCode, stdout } = await runGit(processes, {
    ...{ directory, args, envs: reading },
    what: 'Cannot compare the branches',
  });
  if (exitCode !== 0) return undefined;
  const [ahead = 0, behind = 0] = stdout.split(/\s+/).map(Number);
  return { name, ahead, behind, isMore: ahead + behind === most };
}
