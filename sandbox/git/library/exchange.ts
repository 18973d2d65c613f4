import type { HttpClient } from 'isomorphic-git';
import type { GitCredentials, GitExchange } from '../../../protocol/sandbox/git.ts';
import { GitHttp } from './git-http.ts';
import { libraryFailure } from './library-failure.ts';
import type { Repository } from './repository.ts';

/** What the library is told of one exchange with a server. */
export interface ExchangeOptions {
  readonly http: HttpClient;
  /** Nothing, and not left out: the repository's settings could name a server of their own. */
  readonly corsProxy: '';
  readonly onAuth: (url: string) => { username: string; password: string } | { cancel: true };
  readonly onAuthFailure: () => { cancel: true };
  readonly onProgress: (progress: { phase: string; loaded: number; total: number }) => void;
  readonly onMessage: (message: string) => void;
}

/**
 * One exchange with a server, to the end of `work`. Credentials are for their server alone, whatever URL the repository names.
 */
export async function withServer<T>(
  { credentials, proxy }: GitExchange,
  options: {
    readonly servers: readonly string[] | undefined;
    readonly signal: AbortSignal;
    readonly tell: (text: string) => void;
  },
  work: (options: ExchangeOptions) => Promise<T>,
): Promise<T> {
  const { servers, signal, tell } = options;
  const http = new GitHttp({ proxy, servers, signal, onBytes: quietly(reportBytes(tell)) });
  try {
    return await work({
      http: http as unknown as HttpClient,
      corsProxy: '',
      onAuth: (url) => answer(url, credentials),
      onAuthFailure: () => ({ cancel: true }),
      onProgress: quietly(({ phase, loaded, total }) => tell(total ? `${phase}: ${loaded}/${total}` : phase)),
      onMessage: quietly((message) => tell(message)),
    });
  } finally {
    http.close();
  }
}

/** An exchange with a remote of a repository, at the URL that it has now: programs may change it while this runs. */
export async function withRemote<T>(
  repository: Repository,
  options: {
    readonly remote: string;
    readonly ask: GitExchange;
    readonly servers: readonly string[] | undefined;
    readonly what: string;
    readonly tell: (text: string) => void;
    readonly pushes?: boolean;
  },
  work: (options: ExchangeOptions & { readonly url: string }) => Promise<T>,
): Promise<T> {
  const { remote, ask, servers, what, tell, pushes = false } = options;
  const url = await repository.remoteUrl(remote, { pushes });
  try {
    const { signal } = repository;
    return await withServer(ask, { servers, signal, tell }, (given) => work({ ...given, url }));
  } catch (error) {
    throw libraryFailure(what, error, { url });
  }
}

function answer(
  url: string,
  credentials: GitCredentials | undefined,
): { username: string; password: string } | { cancel: true } {
  if (!credentials || new URL(url).origin !== new URL(credentials.origin).origin) return { cancel: true };
  const { username, password } = credentials;
  return { username, password };
}

/** Reports received bytes, a line for each mebibyte. */
function reportBytes(tell: (text: string) => void): (doneBytes: number) => void {
  let reported = 0;
  return (doneBytes) => {
    const mebibytes = Math.floor(doneBytes / 1_048_576);
    if (mebibytes === reported) return;
    reported = mebibytes;
    tell(`Receiving: ${mebibytes} MiB`);
  };
}

/** The library does not await its listeners: what they throw would be an unhandled rejection. */
function quietly<T>(listener: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      listener(value);
    } catch {
      // Who is told of progress does not end the exchange.
    }
  };
}
