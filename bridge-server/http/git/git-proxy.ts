import type { IncomingHttpHeaders } from 'node:http';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { Shares } from '../../../protocol/shares.ts';
import { isPublicAddress } from '../../network/public-address.ts';
import { askGitServer } from './ask-git-server.ts';
import { type GitAnswer, readGitAnswer } from './git-answer.ts';
import { type GitTarget, parseGitHost } from './git-target.ts';
import { askNameServers, pinAddresses, type Resolve } from './pinned-addresses.ts';

export interface GitProxyOptions {
  /** Names of the servers that pages may reach, `git.example.org` or with a port; none turns the proxy off. */
  readonly hosts: readonly string[];
  /** PEM of authorities to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  /** The name servers of this host by default. */
  readonly resolve?: Resolve | undefined;
  /** Which addresses may be connected to; by default the public ones (`isPublicAddress`). */
  readonly mayReach?: ((address: string) => boolean) | undefined;
}

export interface GitRequest {
  readonly target: GitTarget;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/**
 * Takes requests of git to servers on a list, for pages, which those servers do not let read their answers.
 * It asks only public addresses, which it looks up once, and follows no redirect.
 */
export class GitProxy {
  readonly #hosts: ReadonlySet<string>;
  readonly #options: GitProxyOptions;
  readonly #shares = new Shares({
    most: limits.gitRequests,
    mostOfAccount: limits.gitRequestsOfAccount,
    name: 'requests of git under way',
  });

  /** @throws invalid-argument when one of the hosts is no name */
  constructor(options: GitProxyOptions) {
    this.#options = options;
    this.#hosts = new Set(options.hosts.map(hostOf));
  }

  /** Before anything is done for a request. @throws unsupported when the proxy is off; forbidden */
  assertAllowed({ host }: Pick<GitTarget, 'host'>): void {
    if (this.#hosts.size === 0) {
      throw new SandboxError('unsupported', 'This bridge passes no requests of git on: it lists no server', {
        details: { feature: 'git proxy' },
      });
    }
    if (!this.#hosts.has(host)) {
      throw new SandboxError('forbidden', `Cannot reach ${host}: this bridge does not list it`);
    }
  }

  /** Counts a request in. Returns how to count it out, which may be called again. @throws busy */
  enter(account: string): () => void {
    return this.#shares.take(account, 'Cannot pass the request on');
  }

  /**
   * Asks the server. Whoever gets the answer reads its body to the end, or closes it.
   * @throws forbidden for an address that is not public, or a redirect; connection-lost, timeout
   */
  async ask({ target, headers, body, signal }: GitRequest): Promise<GitAnswer> {
    const { resolve = askNameServers(), mayReach = isPublicAddress, ca } = this.#options;
    const addresses = await pinAddresses(target.name, { resolve, mayReach, signal });
    const answer = await askGitServer(target, { addresses, headers, body, signal, ca });
    try {
      return readGitAnswer(target, answer);
    } catch (error) {
      answer.destroy();
      throw error;
    }
  }
}

function hostOf(text: string): string {
  const parsed = parseGitHost(text);
  if (parsed) return parsed.host;
  throw new SandboxError('invalid-argument', `${JSON.stringify(text)} is no name of a git server`);
}
