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
  GitMergeAsk,
  GitMerged,
  GitPerson,
  GitPullAsk,
  GitPushAsk,
  GitStatus,
} from '../../../protocol/sandbox/git.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import { SerialQueue } from '../../serial-queue.ts';
import { detachedHead } from '../detached-head.ts';
import { tellLines } from '../tell-lines.ts';
import { checkOut } from './check-out.ts';
import { cloneIntoFiles } from './clone-into-files.ts';
import { commitOf, commitStaged } from './commit-staged.ts';
import { compareTrees } from './compare-trees.ts';
import { withRemote } from './exchange.ts';
import { fetchBranch } from './fetch-branch.ts';
import type { GitFiles } from './git-files.ts';
import { libraryFailure } from './library-failure.ts';
import { listBranches } from './list-branches.ts';
import { type MergedCommit, mergeCommits, nameOf } from './merge-commits.ts';
import { leaseOf } from './push-lease.ts';
import { type PutBackAsk, putBack } from './put-back.ts';
import { readStatus } from './read-status.ts';
import { Repository } from './repository.ts';
import { stageFiles } from './stage-files.ts';
import { unstageFiles } from './unstage-files.ts';

type Asked<Method extends keyof GitFacet> = Parameters<GitFacet[Method]>[0];

interface Work<T> {
  readonly directory: string;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** As of `Repository.open`. */
  readonly given?: ReadonlyMap<string, string>;
  readonly run: (repository: Repository) => Promise<T>;
}

interface ServerChoice {
  /** The servers that may be asked, by name and port, whatever a repository says; those of the sandbox's clients by default. */
  readonly servers?: readonly string[] | undefined;
}

interface MergeChoice {
  /** Refuses to make a commit that joins both sides. */
  readonly onlyForward?: boolean;
  /** Makes a commit even where the branch could just move on. */
  readonly neverForward?: boolean;
  /** Of that commit; what git would say by default. */
  readonly message?: string | undefined;
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
    if (ask.submodules) {
      const why = 'the git of shells clones no submodules: use a machine';
      return Promise.reject(
        new SandboxError('unsupported', `${what}: ${why}`, { details: { feature: 'submodules' } }),
      );
    }
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
        if (branch === undefined) throw detachedHead(what);
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

  async pull(
    ask: GitPullAsk,
    onProgress: ProgressListener,
    { servers = this.#servers, ...choice }: ServerChoice & MergeChoice = {},
  ): Promise<GitMerged> {
    const { directory, signal, author } = ask;
    const what = 'Cannot pull';
    const tell = tellLines(onProgress);
    const run = (repository: Repository) => fetchBranch(repository, ask, { servers, what, tell });
    const fetched = await this.#in({ directory, what, signal, run });
    return this.#merge({ directory, what, signal, author, ...choice }, async () => fetched);
  }

  merge({ directory, ref, author }: GitMergeAsk, choice: MergeChoice = {}): Promise<GitMerged> {
    const what = `Cannot merge "${ref}"`;
    return this.#merge({ directory, what, author, ...choice }, async (repository) => ({
      theirs: await repository.commitOf(ref),
      name: await nameOf(repository, ref),
    }));
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
    return this.change({
      directory,
      what: 'Cannot add',
      run: (repository) => stageFiles(repository, { paths, isThere: (path) => this.#files.isThere(path) }),
    });
  }

  unstage({ directory, paths = ['.'] }: Asked<'unstage'>): Promise<void> {
    return this.change({
      directory,
      what: 'Cannot unstage',
      run: async (repository) => unstageFiles(repository, { paths, commit: await repository.head() }),
    });
  }

  commit({ directory, message, author }: Asked<'commit'>): Promise<GitCommit> {
    const what = 'Cannot commit';
    return this.change({
      directory,
      what,
      run: (repository) => commitStaged(repository, { what, message, author }),
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
    return this.#in({ directory, what: 'Cannot list the branches', run: listBranches });
  }

  checkout({ directory, ref, create = false }: Asked<'checkout'>): Promise<GitHead> {
    const what = `Cannot check out "${ref}"`;
    return this.change({
      directory,
      what,
      run: async (repository) => {
        const { library, at } = repository;
        // A new branch is where HEAD is: the files stay as they are.
        if (create) await library.branch({ ...at, ref, checkout: true });
        else await checkOut(repository, ref, what);
        return headOf(repository);
      },
    });
  }

  /** `reset --hard`, or, with `paths`, `checkout <commit> -- <paths>`. */
  putBack({
    directory,
    signal,
    ...ask
  }: PutBackAsk & Pick<Work<void>, 'directory' | 'signal'>): Promise<void> {
    const what = `Cannot put the files back to ${ask.commit.slice(0, 7)}`;
    return this.change({
      ...{ directory, what, signal },
      run: (repository) => putBack(repository, { ...ask, what }),
    });
  }

  /** Other work that changes a repository: alone, as all of it is. */
  change<T>(work: Work<T>): Promise<T> {
    return this.#serial.run(() => this.#in(work));
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }

  #merge(
    {
      author,
      onlyForward = false,
      neverForward = false,
      message,
      ...work
    }: Omit<Work<GitMerged>, 'run'> & MergeChoice & { readonly author: GitPerson | undefined },
    find: (repository: Repository) => Promise<MergedCommit>,
  ): Promise<GitMerged> {
    const mergeText: GitFiles['mergeText'] = (...sides) => this.#files.mergeText(...sides);
    const options = { author, onlyForward, neverForward, message, mergeText, what: work.what };
    return this.change({
      ...work,
      run: async (repository) => mergeCommits(repository, { ...(await find(repository)), ...options }),
    });
  }

  #in<T>({ directory, what, signal: asked, given, run }: Work<T>): Promise<T> {
    return this.#track(what, asked, async (signal) => {
      try {
        return await run(await Repository.open(this.#files, directory, { signal, what, given }));
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
