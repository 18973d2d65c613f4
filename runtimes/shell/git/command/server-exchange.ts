import { SandboxError } from '../../../../protocol/errors.ts';
import type { ProgressListener } from '../../../../protocol/sandbox/progress.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall } from './git-call.ts';

/** Nobody who types a command reads what goes by: git itself tells of progress on a terminal only. */
export const silent: ProgressListener = () => {};

/** The URL of a remote. @throws GitCommandError where there is no such remote */
export async function urlOf(
  git: GitCall,
  remote: string,
  options: { readonly pushes?: boolean } = {},
): Promise<string> {
  const repository = await git.open();
  return repository.remoteUrl(remote, options).catch(() => {
    throw new GitCommandError(
      `fatal: '${remote}' does not appear to be a git repository\nfatal: Could not read from remote repository.`,
    );
  });
}

/**
 * Commands reach only the servers that whoever made the sandbox has listed. The exchange itself holds them to the list: this
 * says so in git's words. @throws GitCommandError
 */
export function assertListed(git: GitCall, url: string): void {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  const isSpoken = protocol === 'https:' || protocol === 'http:';
  if (isSpoken && git.parts.servers.includes(host)) return;
  const why = isSpoken
    ? 'this sandbox does not reach that server: use sandbox.git, or have it listed'
    : 'git here speaks https and http, and knows paths of the sandbox';
  throw new GitCommandError(`fatal: unable to access '${url}': ${why}`);
}

/** An exchange with a server, whose wish for a password is told as git tells it. */
export async function exchange<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (SandboxError.from(error).details.needs !== 'credentials') throw error;
    throw new GitCommandError(
      `fatal: could not read Username for '${new URL(url).origin}': terminal prompts disabled`,
    );
  }
}
