import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type {
  GitBranches,
  GitCloneAsk,
  GitCommit,
  GitDiff,
  GitDiffAsk,
  GitFacet,
  GitFetchAsk,
  GitHead,
  GitPushAsk,
  GitStatus,
} from '../../../protocol/sandbox/git.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import { SerialQueue } from '../../serial-queue.ts';
import { tellLines } from '../tell-lines.ts';
import { cloneIntoFiles } from './clone-into-files.ts';
import { compareTrees } from './compare-trees.ts';
import { withRemote } from './exchange.ts';
import type { GitFiles } from './git-files.ts';
import { libraryFailure } from './library-failure.ts';
import { leaseOf } from './push-lease.ts';
import { readStatus } from './read-status.ts';
import { Repository } from './repository.ts';
import { isAnyStaged, unstagedFiles } from './staged-changes.ts';

type Asked<Method extends keyof GitFacet> = Parameters<GitFacet[Method]>[0];

interface Work<T> {
  readonly directory: string;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly run: (repository: Repository) => Promise<T>;
}

interface ServerChoice {
  /** The servers that may be asked, by name and port, whatever a repository says; those of the sandbox's clients by default. */
  readonly servers?: readonly string[] | undefined;
}

interface PushChoice extends ServerChoice {
  /** Refuses to replace a remote branch that is not where it was when it was last fetched. */
  readonly isLeased?: boolean;
}

/**
 * Git by a library in this thread, over files that programs of the sandbox share. Owns the work that is under way: `close`
 * ends it, and resolves when none of it touches a file any more.
 */
export class LibraryGit implements GitFacet {
  readonly #files: GitFiles;
  readonly #servers: readonly string[] | undefined;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Of what changes the index: the library's own locks are for one operation only. */
  readonly #serial = new SerialQueue();
  /** Where clones are on their way to. */
  readonly #cloning = new Set<string>();

  /** `servers` may be asked by clients of the sandbox, by name and port; all by default. */
  constructor(files: GitFiles, { servers }: ServerChoice = {}) {
    this.#files = files;
    this.#servers = servers;
  }

  clone(
    ask: GitCloneAsk,
    onProgress: ProgressListener,
    { servers = this.#servers }: ServerChoice = {},
  ): Promise<GitHead> {
    const what = `Cannot clone "${ask.url}"`;
    const { directory } = ask;
    if (this.#cloning.has(directory)) {
      return Promise.reject(new SandboxError('busy', `${what}: another clone goes to "${directory}"`));
    }
    return this.#track(what, ask.signal, async (signal) => {
      this.#cloning.add(directory);
      try {
        await cloneIntoFiles(ask, { files: this.#files, servers, signal, tell: tellLines(onProgress) });
        return await headOf(await Repository.open(this.#files, directory, { signal, what }));
      } catch (error) {
        throw libraryFailure(what, error, { url: ask.url });
      } finally {
        this.#cloning.delete(directory);
      }
    });
  }

  fetch(
    { directory, remote = 'origin', ...ask }: GitFetchAsk,
    onProgress: ProgressListener,
    { servers = this.#servers }: ServerChoice = {},
  ): Promise<void> {
    const what = `Cannot fetch from "${remote}"`;
    return this.#in({
      directory,
      what,
      signal: ask.signal,
      run: async (repository) => {
        const exchange = { remote, ask, servers, what, tell: tellLines(onProgress) };
        await withRemote(repository, exchange, (options) =>
          repository.library.fetch({ ...repository.at, ...options, remote, tags: true }),
        );
      },
    });
  }

  push(
    { directory, remote = 'origin', ...ask }: GitPushAsk,
    onProgress: ProgressListener,
    { servers = this.#servers, isLeased = false }: PushChoice = {},
  ): Promise<GitHead> {
    const what = `Cannot push to "${remote}"`;
    return this.#in({
      directory,
      what,
      signal: ask.signal,
      run: async (repository) => {
        const { library, at } = repository;
        const branch = ask.branch ?? (await repository.branch());
        if (branch === undefined) {
          throw new SandboxError('invalid-argument', `${what}: HEAD is at no branch`, {
            details: { remedy: 'Name the branch, or check one out.' },
          });
        }
        const ref = `refs/heads/${branch}`;
        const head = await library.resolveRef({ ...at, ref });
        const lease = isLeased ? await leaseOf(repository, { remote, branch, what }) : {};
        const exchange = { remote, ask, servers, what, tell: tellLines(onProgress), pushes: true };
        const force = isLeased || ask.force === true;
        await withRemote(repository, exchange, (options) =>
          library.push({ ...at, ...options, ...lease, remote, ref, remoteRef: ref, force }),
        );
        return { head, branch };
      },
    });
  }

  status({ directory }: Asked<'status'>): Promise<GitStatus> {
    return this.#in({ directory, what: `Cannot tell the status of "${directory}"`, run: readStatus });
  }

  diff(ask: GitDiffAsk): Promise<GitDiff> {
    const compareText: GitFiles['compareText'] = (...sides) => this.#files.compareText(...sides);
    const run = (repository: Repository) => compareTrees(repository, ask, compareText);
    return this.#in({ directory: ask.directory, what: 'Cannot compare', run });
  }

  add({ directory, paths }: Asked<'add'>): Promise<void> {
    return this.#change({
      directory,
      what: 'Cannot add',
      run: async (repository) => {
        const differing = await unstagedFiles(repository, paths);
        for (const path of paths ?? []) {
          const isGone = differing.some((file) => file.path === path || file.path.startsWith(`${path}/`));
          if (path === '.' || isGone || this.#files.isThere(`${directory}/${path}`)) continue;
          throw new SandboxError('not-found', `Cannot add "${path}": there is no such file`, {
            details: { path },
          });
        }
        const { library, at } = repository;
        const present = differing.filter(({ isThere }) => isThere).map(({ path }) => path);
        if (present.length > 0) await library.add({ ...at, filepath: present, parallel: false });
        for (const { path, isThere } of differing)
          if (!isThere) await library.remove({ ...at, filepath: path });
      },
    });
  }

  commit({ directory, message, author }: Asked<'commit'>): Promise<GitCommit> {
    const what = 'Cannot commit';
    return this.#change({
      directory,
      what,
      run: async (repository) => {
        if (!(await isAnyStaged(repository))) {
          throw new SandboxError('invalid-argument', `${what}: nothing is staged`, {
            details: { remedy: 'Add what is to be committed first.' },
          });
        }
        const { library, at } = repository;
        const person = author ?? (await repository.configuredAuthor());
        const { name = '', email = '' } = person;
        if (name === '' || email === '') throw new library.Errors.MissingNameError('author');
        const text = message.trim();
        if (text === '') throw new SandboxError('invalid-argument', `${what}: the message is empty`);
        const oid = await library.commit({
          ...at,
          message: `${text}\n`,
          author: { name, email },
          committer: { name, email },
        });
        return commitOf(await library.readCommit({ ...at, oid }));
      },
    });
  }

  log({ directory, ref, most = limits.gitLogUsual }: Asked<'log'>): Promise<GitCommit[]> {
    return this.#in({
      directory,
      what: 'Cannot tell the log',
      run: async (repository) => {
        const start = ref === undefined ? await repository.head() : await repository.commitOf(ref);
        if (start === undefined) return [];
        const commits = await repository.library.log({ ...repository.at, ref: start, depth: most });
        return commits.map(commitOf);
      },
    });
  }

  branches({ directory }: Asked<'branches'>): Promise<GitBranches> {
    return this.#in({
      directory,
      what: 'Cannot list the branches',
      run: async (repository) => {
        const { library, at } = repository;
        const current = await repository.branch();
        const names = (await library.listBranches({ ...at })).map((name) => ({
          name,
          ref: `refs/heads/${name}`,
          isRemote: false,
        }));
        for (const { remote } of await library.listRemotes({ ...at })) {
          for (const branch of await library.listBranches({ ...at, remote })) {
            if (branch === 'HEAD') continue;
            names.push({
              name: `${remote}/${branch}`,
              ref: `refs/remotes/${remote}/${branch}`,
              isRemote: true,
            });
          }
        }
        const branches: GitBranches['branches'][number][] = [];
        for (const { name, ref, isRemote } of names.slice(0, limits.gitBranches)) {
          branches.push({ name, commit: await library.resolveRef({ ...at, ref }), isRemote });
        }
        return { ...(current === undefined ? {} : { current }), branches };
      },
    });
  }

  checkout({ directory, ref, create = false }: Asked<'checkout'>): Promise<GitHead> {
    return this.#change({
      directory,
      what: `Cannot check out "${ref}"`,
      run: async (repository) => {
        const { library, at } = repository;
        // A new branch is where HEAD is: the files stay as they are.
        if (create) await library.branch({ ...at, ref, checkout: true });
        else {
          const names = await library.listBranches({ ...at });
          const remotes = await library.listBranches({ ...at, remote: 'origin' });
          const isBranch = names.includes(ref) || remotes.includes(ref);
          await library.checkout({ ...at, ref: isBranch ? ref : await repository.commitOf(ref) });
        }
        return headOf(repository);
      },
    });
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }

  #change<T>(work: Work<T>): Promise<T> {
    return this.#serial.run(() => this.#in(work));
  }

  #in<T>({ directory, what, signal: asked, run }: Work<T>): Promise<T> {
    return this.#track(what, asked, async (signal) => {
      try {
        return await run(await Repository.open(this.#files, directory, { signal, what }));
      } catch (error) {
        throw libraryFailure(what, error);
      }
    });
  }

  async #track<T>(
    what: string,
    asked: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = AbortSignal.timeout(limits.gitCloneTimeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, late, ...(asked ? [asked] : [])]);
    const given = (): SandboxError | undefined => {
      if (asked?.aborted) return new SandboxError('aborted', `${what}: aborted`, { cause: asked.reason });
      if (late.aborted) return new SandboxError('timeout', `${what} in ${limits.gitCloneTimeoutMs} ms`);
      if (!signal.aborted) return undefined;
      return new SandboxError('machine-failed', `${what}: the sandbox went back, or was closed`);
    };
    const before = given();
    if (before) throw before;
    const running = work(signal);
    this.#underWay.add(running);
    try {
      return await running;
    } catch (error) {
      throw given() ?? error;
    } finally {
      this.#underWay.delete(running);
    }
  }
}

async function headOf(repository: Repository): Promise<GitHead> {
  const [head, branch] = await Promise.all([repository.head(), repository.branch()]);
  return { ...(head === undefined ? {} : { head }), ...(branch === undefined ? {} : { branch }) };
}

function commitOf({
  oid,
  commit,
}: {
  readonly oid: string;
  readonly commit: {
    readonly parent: readonly string[];
    readonly message: string;
    readonly author: { readonly name: string; readonly email: string; readonly timestamp: number };
  };
}): GitCommit {
  const { name, email, timestamp } = commit.author;
  return {
    id: oid,
    parents: commit.parent,
    message: commit.message.trimEnd(),
    author: { name, email },
    authoredAtMs: timestamp * 1_000,
  };
}
