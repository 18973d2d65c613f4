import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type {
  GitBranches,
  GitCloneAsk,
  GitCommit,
  GitDiff,
  GitDiffAsk,
  GitExchange,
  GitFacet,
  GitFetchAsk,
  GitHead,
  GitMergeAsk,
  GitMerged,
  GitPullAsk,
  GitPushAsk,
  GitStatus,
} from '../../../protocol/sandbox/git.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { planClone } from '../clone-plan.ts';
import { detachedHead } from '../detached-head.ts';
import { tellLines } from '../tell-lines.ts';
import { cloneWhole } from './clone-whole.ts';
import { gitStepFailure } from './git-failure.ts';
import { authorSettings, mergeBranches } from './merge-branches.ts';
import { logFormat, parseLog } from './parse-log.ts';
import { parseStatus } from './parse-status.ts';
import { readBranch, readHead } from './read-head.ts';
import { type GitOutput, runGit } from './run-git.ts';
import { type GitStep, reading, runStep } from './run-step.ts';
import { compareToUpstream, followedBranch } from './upstream.ts';

type Asked<Method extends keyof GitFacet> = Parameters<GitFacet[Method]>[0];

const encoder = new TextEncoder();

/** Git as a program of the sandbox, run there as its user. Names and revisions are checked before. */
export class ProgramGit implements GitFacet {
  readonly #processes: ProcessStarter;

  constructor(processes: ProcessStarter) {
    this.#processes = processes;
  }

  async clone(ask: GitCloneAsk, onProgress: ProgressListener): Promise<GitHead> {
    const plan = planClone(ask);
    assertDirect(ask, `Cannot clone "${plan.url}"`);
    const { depth, credentials, submodules, signal } = ask;
    const tell = tellLines(onProgress);
    tell(`Cloning ${plan.url}`);
    await cloneWhole(this.#processes, plan, { depth, credentials, submodules, signal, onLine: tell });
    return this.#head(ask.directory, `Cannot clone "${plan.url}"`);
  }

  async fetch(ask: GitFetchAsk, onProgress: ProgressListener): Promise<void> {
    const { directory, remote = 'origin' } = ask;
    const what = `Cannot fetch from "${remote}"`;
    const args = ['fetch', '--progress', '--no-recurse-submodules', '--', remote];
    await this.#exchange({ directory, args, what }, ask, onProgress);
  }

  async push(ask: GitPushAsk, onProgress: ProgressListener): Promise<GitHead> {
    const { directory, remote = 'origin', force = false } = ask;
    const what = `Cannot push to "${remote}"`;
    const branch = ask.branch ?? (await this.#head(directory, what)).branch;
    if (branch === undefined) throw detachedHead(what);
    const ref = `refs/heads/${branch}`;
    const args = ['push', '--progress', ...(force ? ['--force'] : []), '--', remote, `${ref}:${ref}`];
    await this.#exchange({ directory, args, what }, ask, onProgress);
    const { stdout } = await this.#run({ directory, what, args: ['rev-parse', ref] });
    return { head: stdout.trim(), branch };
  }

  async pull(ask: GitPullAsk, onProgress: ProgressListener): Promise<GitMerged> {
    const { directory, author } = ask;
    const what = 'Cannot pull';
    const current = await this.#branch(directory, what);
    if (current === undefined) throw detachedHead(what);
    const followed = await followedBranch(this.#processes, directory, current);
    const { remote = followed.remote } = ask;
    const branch = ask.branch ?? (remote === followed.remote ? followed.branch : current);
    const from = ['--', remote, `refs/heads/${branch}`];
    const args = ['fetch', '--progress', '--no-recurse-submodules', ...from];
    await this.#exchange({ directory, args, what }, ask, onProgress);
    const merging = { processes: this.#processes, directory, what };
    return mergeBranches(merging, { ref: 'FETCH_HEAD', ...(author ? { author } : {}) });
  }

  merge({ directory, ...ask }: GitMergeAsk): Promise<GitMerged> {
    const what = `Cannot merge "${ask.ref}"`;
    return mergeBranches({ processes: this.#processes, directory, what }, ask);
  }

  async status({ directory }: Asked<'status'>): Promise<GitStatus> {
    const args = ['status', '--porcelain=v2', '-z', '--branch', '--no-renames', '--untracked-files=all'];
    const what = `Cannot tell the status of "${directory}"`;
    const { stdout } = await this.#run({ directory, what, args, envs: reading });
    return parseStatus(stdout);
  }

  async diff({ directory, staged, from, to, paths = [] }: GitDiffAsk): Promise<GitDiff> {
    const plain = [
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--no-renames',
      '--src-prefix=a/',
      '--dst-prefix=b/',
    ];
    const sides = [...(staged ? ['--cached'] : []), ...[from, to].filter((side) => side !== undefined)];
    const args = ['diff', ...plain, ...sides, '--', ...paths];
    const { stdout, isCut } = await this.#run({ directory, what: 'Cannot compare', args, envs: reading });
    const patch = stdout.slice(0, limits.gitDiffBytes);
    return { patch, isCut: isCut || patch.length < stdout.length };
  }

  async add({ directory, paths }: Asked<'add'>): Promise<void> {
    await this.#run({ directory, what: 'Cannot add', args: ['add', '--all', '--', ...(paths ?? ['.'])] });
  }

  async unstage({ directory, paths = ['.'] }: Asked<'unstage'>): Promise<void> {
    await this.#run({ directory, what: 'Cannot unstage', args: ['reset', '--quiet', '--', ...paths] });
  }

  async commit({ directory, message, author }: Asked<'commit'>): Promise<GitCommit> {
    const what = 'Cannot commit';
    const envs = authorSettings(author);
    const args = ['commit', '--quiet', '--cleanup=whitespace', '--file=-'];
    await this.#run({ directory, what, args, envs, input: encoder.encode(message) });
    const [commit] = await this.log({ directory, most: 1 });
    if (commit) return commit;
    throw new SandboxError('internal', `${what}: git does not show it`);
  }

  async log({ directory, ref, most = limits.gitLogUsual }: Asked<'log'>): Promise<GitCommit[]> {
    const args = [
      'log',
      '-z',
      logFormat,
      `--max-count=${most}`,
      '--no-color',
      '--no-show-signature',
      '--encoding=UTF-8',
    ];
    const what = 'Cannot tell the log';
    const run = { directory, what, args: [...args, ref ?? 'HEAD', '--'], envs: reading };
    const output = await runGit(this.#processes, run);
    if (output.exitCode === 0) return parseLog(output.stdout);
    if (ref === undefined && (await this.#head(directory, what)).head === undefined) return [];
    throw gitStepFailure(what, output.said);
  }

  async branches({ directory }: Asked<'branches'>): Promise<GitBranches> {
    const what = 'Cannot list the branches';
    const format = '--format=%(refname)%00%(objectname)%00%(symref)';
    const args = ['for-each-ref', `--count=${limits.gitBranches}`, format, 'refs/heads', 'refs/remotes'];
    const { stdout } = await this.#run({ directory, what, args, envs: reading });
    const current = await this.#branch(directory, what);
    const branches = stdout
      .split('\n')
      .map((line) => line.split('\0'))
      .filter(([name, , symref]) => name && symref === '')
      .map(([name = '', commit = '']) => ({
        name: name.replace(/^refs\/(?:heads|remotes)\//, ''),
        commit,
        isRemote: name.startsWith('refs/remotes/'),
      }));
    if (current === undefined) return { branches };
    const upstream = await compareToUpstream(this.#processes, directory, current);
    return { current, ...(upstream === undefined ? {} : { upstream }), branches };
  }

  async checkout({ directory, ref, create }: Asked<'checkout'>): Promise<GitHead> {
    const what = `Cannot check out "${ref}"`;
    const args = create ? ['checkout', '--quiet', '-b', ref] : ['checkout', '--quiet', ref, '--'];
    await this.#run({ directory, what, args });
    return this.#head(directory, what);
  }

  #head(directory: string, what: string): Promise<GitHead> {
    return readHead(this.#processes, directory, what);
  }

  #branch(directory: string, what: string): Promise<string | undefined> {
    return readBranch(this.#processes, directory, what);
  }

  #exchange(
    step: Pick<GitStep, 'directory' | 'args' | 'what'>,
    ask: GitExchange,
    onProgress: ProgressListener,
  ): Promise<GitOutput> {
    assertDirect(ask, step.what);
    const { credentials, signal } = ask;
    const timeoutMs = limits.gitCloneTimeoutMs;
    return this.#run({
      ...step,
      credentials,
      signal,
      timeoutMs,
      onLine: tellLines(onProgress),
      isExchange: true,
    });
  }

  #run(step: GitStep): Promise<GitOutput> {
    return runStep(this.#processes, step);
  }
}

/** @throws unsupported */
function assertDirect({ proxy }: GitExchange, what: string): void {
  if (!proxy) return;
  throw new SandboxError(
    'unsupported',
    `${what} through a bridge: git in this sandbox uses the sandbox's network`,
    {
      details: { feature: 'git proxy', remedy: 'Leave the proxy out.' },
    },
  );
}
