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

/** The options of an exchange. Credentials are for their server alone, whatever URL the repository names. */
export function exchangeOptions(
  { credentials, proxy }: GitExchange,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (text: string) => void },
): ExchangeOptions {
  const http = new GitHttp({ proxy, signal, onBytes: quietly(tellBytes(tell)) });
  return {
    http: http as unknown as HttpClient,
    corsProxy: '',
    onAuth: (url) => answer(url, credentials),
    onAuthFailure: () => ({ cancel: true }),
    onProgress: quietly(({ phase, loaded, total }) => tell(total ? `${phase}: ${loaded}/${total}` : phase)),
    onMessage: quietly((message) => tell(message)),
  };
}

/** An exchange with a remote of a repository. */
export async function openExchange(
  repository: Repository,
  options: {
    readonly remote: string;
    readonly ask: GitExchange;
    readonly what: string;
    readonly tell: (text: string) => void;
    readonly pushes?: boolean;
  },
): Promise<{ run<T>(work: (options: ExchangeOptions) => Promise<T>): Promise<T> }> {
  const { remote, ask, what, tell, pushes = false } = options;
  const own = pushes ? await repository.setting(`remote.${remote}.pushurl`) : undefined;
  const url = own ?? (await repository.setting(`remote.${remote}.url`));
  if (url === undefined) throw new repository.library.Errors.NotFoundError(`remote "${remote}"`);
  return {
    run: async (work) => {
      try {
        return await work(exchangeOptions(ask, { signal: repository.signal, tell }));
      } catch (error) {
        throw libraryFailure(what, error, { url });
      }
    },
  };
}

function answer(
  url: string,
  credentials: GitCredentials | undefined,
): { username: string; password: string } | { cancel: true } {
  if (!credentials || new URL(url).origin !== new URL(credentials.origin).origin) return { cancel: true };
  const { username, password } = credentials;
  return { username, password };
}

/** Bytes as they come, a line for each mebibyte. */
function tellBytes(tell: (text: string) => void): (doneBytes: number) => void {
  let told = 0;
  return (doneBytes) => {
    const mebibytes = Math.floor(doneBytes / 1_048_576);
    if (mebibytes === told) return;
    told = mebibytes;
    tell(`Receiving: ${mebibytes} MiB`);
  };
}

/** The library does not wait for those it tells: what they throw would be nobody's. */
function quietly<T>(listener: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      listener(value);
    } catch {}
  };
}
