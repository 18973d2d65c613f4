import { listenAbort, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitCredentials } from '../../../protocol/sandbox/git.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import type { ClonePlan } from '../clone-plan.ts';
import { credentialSettings } from './credential-settings.ts';
import { gitFailure, plainLine } from './git-failure.ts';
import { startTextProcess, type TextProcess } from './text-process.ts';

export interface CloneOptions {
  /** Where to; not there yet. */
  readonly tree: string;
  /** How many commits of the history; all of them by default. */
  readonly depth?: number | undefined;
  readonly credentials?: GitCredentials | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told what git says of how far it is, a line at a time: data, of at most `limits.gitLineCharacters`. */
  readonly onLine: (line: string) => void;
}

/**
 * Clones a repository in the sandbox, as its user; git asks nobody, and runs nothing that the URL or the
 * repository names. When this settles, no git runs any more.
 * @throws unsupported (no git), not-found, forbidden, asset-unavailable, storage-full, timeout, aborted
 */
export async function cloneRepository(
  processes: ProcessStarter,
  plan: ClonePlan,
  options: CloneOptions,
): Promise<void> {
  const { url, ref, commit } = plan;
  const { tree, depth } = options;
  const git = (...args: string[]) => runGit(processes, { plan, args, options });
  const choice = commit ? ['--no-checkout'] : ref ? [`--branch=${ref}`] : [];
  const shallow = depth === undefined ? [] : [`--depth=${depth}`];
  const from = ['--progress', '--no-recurse-submodules', ...shallow];
  const cloned = await git('clone', ...from, ...choice, '--', url, tree);
  if (cloned.exitCode !== 0) throw gitFailure(url, cloned.said);
  if (!commit) return;
  const { exitCode } = await git('-C', tree, 'cat-file', '-e', `${commit}^{commit}`);
  if (exitCode !== 0) {
    // No branch has it; most servers give it all the same.
    const fetched = await git('-C', tree, 'fetch', ...from, 'origin', commit);
    if (fetched.exitCode !== 0) throw gitFailure(url, fetched.said);
  }
  const checkedOut = await git('-C', tree, 'checkout', '--progress', '--detach', commit);
  if (checkedOut.exitCode !== 0) throw gitFailure(url, checkedOut.said);
}

async function runGit(
  processes: ProcessStarter,
  { plan, args, options }: { plan: ClonePlan; args: readonly string[]; options: CloneOptions },
): Promise<{ readonly exitCode: number; readonly said: string }> {
  const { signal, onLine } = options;
  const what = `Cannot clone "${plan.url}"`;
  throwIfAborted(signal, what);
  let said = '';
  const envs = {
    GIT_ALLOW_PROTOCOL: plan.protocols,
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    LC_ALL: 'C',
    ...credentialSettings(options.credentials),
  };
  const { process, ended } = await startGit(
    processes,
    { command: ['git', ...args], cwd: '/', envs },
    (text) => {
      // Why it failed is said last.
      said = (said + text).slice(-limits.gitSaidCharacters);
      const line = text
        .split(/[\r\n]+/)
        .map(plainLine)
        .findLast((each) => each !== '');
      if (line !== undefined) onLine(line.slice(0, limits.gitLineCharacters));
    },
  );
  let isLate = false;
  const end = () => void process.kill().catch(() => undefined);
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, limits.gitCloneTimeoutMs);
  const unlisten = listenAbort(signal, end);
  try {
    const { exitCode, reason } = await ended;
    throwIfAborted(signal, what);
    if (isLate) throw new SandboxError('timeout', `${what} in ${limits.gitCloneTimeoutMs} ms`);
    if (reason === 'out-of-memory') {
      throw new SandboxError(
        'limit-exceeded',
        `${what}: git was killed for lack of memory; give the sandbox more`,
      );
    }
    if (reason === 'machine-failed') throw new SandboxError(reason, `${what}: what it ran in is gone`);
    return { exitCode, said };
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

async function startGit(...parts: Parameters<typeof startTextProcess>): Promise<TextProcess> {
  try {
    return await startTextProcess(...parts);
  } catch (error) {
    if (SandboxError.from(error).code !== 'not-found') throw error;
    const message = 'Cannot clone: the image has no git; choose one that has, such as "debian"';
    throw new SandboxError('unsupported', message, { details: { feature: 'git' }, cause: error });
  }
}
