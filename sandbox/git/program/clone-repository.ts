import { limits } from '../../../protocol/limits.ts';
import type { GitCredentials } from '../../../protocol/sandbox/git.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import type { ClonePlan } from '../clone-plan.ts';
import { gitFailure } from './git-failure.ts';
import { type GitOutput, type GitRun, runGit } from './run-git.ts';

export interface CloneOptions {
  /** Where to; not there yet. */
  readonly tree: string;
  /** How many commits of the history; all of them by default. */
  readonly depth?: number | undefined;
  /** With its submodules. */
  readonly submodules?: boolean | undefined;
  readonly credentials?: GitCredentials | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told what git says of how far it is, a line at a time: data, of at most `limits.gitLineCharacters`. */
  readonly onLine: (line: string) => void;
}

/**
 * Clones a repository in the sandbox, as its user; git asks nobody, and runs nothing that the URL or the
 * repository names. When this settles, no git runs any more, but one that did not die when it was killed.
 * @throws unsupported (no git), not-found, forbidden, asset-unavailable, storage-full, timeout, aborted
 */
export async function cloneRepository(
  processes: ProcessStarter,
  plan: ClonePlan,
  options: CloneOptions,
): Promise<void> {
  const { url, ref, commit } = plan;
  const { tree, depth } = options;
  const run = (directory: string, ...args: string[]) => git(processes, { directory, args, plan, options });
  const choice = commit ? ['--no-checkout'] : ref ? [`--branch=${ref}`] : [];
  const shallow = depth === undefined ? [] : [`--depth=${depth}`];
  const from = ['--progress', '--no-recurse-submodules', ...shallow];
  const cloned = await run('/', 'clone', ...from, ...choice, '--', url, tree);
  if (cloned.exitCode !== 0) throw gitFailure(url, cloned.said);
  if (commit) await checkOutCommit({ commit, url, run, from, tree });
  if (!options.submodules) return;
  const updated = await run(tree, 'submodule', 'update', '--init', '--recursive', '--progress', ...shallow);
  if (updated.exitCode !== 0) throw gitFailure(url, updated.said);
}

async function checkOutCommit({
  commit,
  url,
  run,
  from,
  tree,
}: {
  readonly commit: string;
  readonly url: string;
  readonly run: (directory: string, ...args: string[]) => Promise<GitOutput>;
  readonly from: readonly string[];
  readonly tree: string;
}): Promise<void> {
  const { exitCode } = await run(tree, 'cat-file', '-e', `${commit}^{commit}`);
  if (exitCode !== 0) {
    // No branch has it; most servers give it all the same.
    const fetched = await run(tree, 'fetch', ...from, 'origin', commit);
    if (fetched.exitCode !== 0) throw gitFailure(url, fetched.said);
  }
  const checkedOut = await run(tree, 'checkout', '--progress', '--detach', commit);
  if (checkedOut.exitCode !== 0) throw gitFailure(url, checkedOut.said);
}

async function git(
  processes: ProcessStarter,
  run: Pick<GitRun, 'directory' | 'args'> & { readonly plan: ClonePlan; readonly options: CloneOptions },
): Promise<GitOutput> {
  const { plan, options, ...rest } = run;
  const { credentials, signal, onLine } = options;
  return runGit(processes, {
    ...rest,
    what: `Cannot clone "${plan.url}"`,
    envs: { GIT_ALLOW_PROTOCOL: plan.protocols },
    credentials,
    signal,
    onLine,
    timeoutMs: limits.gitCloneTimeoutMs,
  });
}
