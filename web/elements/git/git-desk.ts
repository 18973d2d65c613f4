import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { GitDiff, GitPerson, GitProxyAddress } from '../../../protocol/sandbox/git.ts';
import { type ExchangeOptions, Git } from '../../../sdk/git.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { findRepositories, readRepository, workDirectory } from './find-repositories.ts';
import { type GitState, initialGitState, type SignIn, type SignInRequest, shareOf } from './git-state.ts';

/**
 * The git of one sandbox as the panel shows it: its state, a `change` event when that changes, and the user's operations,
 * none of which rejects: an error is in `state.problem`, or in
 * `state.readProblem` where nothing was to be changed. Credentials are kept in memory only, and only if the user says so.
 */
export class GitDesk extends EventTarget {
  /** Who commits where the repository does not say, as it was entered last. */
  author: GitPerson | undefined;
  /** The message of the next commit, as far as it is written. */
  draft = '';
  /** The address of the bridge that servers are reached through; empty for directly from the page. */
  through = '';
  readonly #model: SandboxModel;
  /** Sign-ins to use again until the page is closed, by origin and by the bridge that reads them. */
  readonly #signIns = new Map<string, SignIn>();
  #state: GitState = initialGitState;
  #directory: string | undefined;
  #isStale = false;
  #reading: Promise<void> | undefined;
  #task: AbortController | undefined;
  #answerSignIn: ((signIn: SignIn | undefined) => void) | undefined;

  constructor(model: SandboxModel) {
    super();
    this.#model = model;
  }

  get state(): GitState {
    return this.#state;
  }

  /** Looks for repositories, and reads the chosen one again; once more if it is asked for meanwhile. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readWhileStale().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async choose(directory: string): Promise<void> {
    this.#directory = directory;
    await this.refresh();
  }

  /** The patch of a file of the working tree, or of what is staged of it. */
  diff(path: string, { staged }: { readonly staged: boolean }): Promise<GitDiff | undefined> {
    return this.#look(({ git, directory }) => git.diff({ directory, staged, paths: [path] }));
  }

  /** The bytes of a file of the working tree. */
  read(path: string): Promise<Uint8Array | undefined> {
    return this.#look(({ connection, directory }) => connection.files.read({ path: `${directory}/${path}` }));
  }

  stage(paths?: readonly string[]): Promise<boolean> {
    const work = ({ git, directory }: Parts) => git.add({ directory, ...(paths ? { paths } : {}) });
    return this.#change(work, `Staged ${nameFiles(paths)}.`);
  }

  /** Puts files of the index, all by default, back to those of HEAD; the working tree stays. */
  unstage(paths?: readonly string[]): Promise<boolean> {
    const work = ({ git, directory }: Parts) => git.unstage({ directory, ...(paths ? { paths } : {}) });
    return this.#change(work, `Unstaged ${nameFiles(paths)}.`);
  }

  commit(message: string, author: GitPerson | undefined): Promise<boolean> {
    return this.#change(
      ({ git, directory }) => git.commit({ directory, message, ...(author ? { author } : {}) }),
      `Committed “${plainLine(message.split('\n')[0] ?? '', 60)}”.`,
    );
  }

  checkout(ref: string, { create = false }: { readonly create?: boolean } = {}): Promise<boolean> {
    return this.#change(
      ({ git, directory }) => git.checkout({ directory, ref, create }),
      `${create ? 'Made and checked' : 'Checked'} out ${plainLine(ref, 60)}.`,
    );
  }

  /** Clones into a directory, and shows that. With `isWhole`, with all of its history. */
  async clone(
    ask: { readonly url: string; readonly directory: string; readonly isWhole: boolean },
    proxy: GitProxyAddress | undefined,
  ): Promise<boolean> {
    const { url, directory, isWhole } = ask;
    const options = { url, directory, ...(isWhole ? { depth: Number.POSITIVE_INFINITY } : {}) };
    const words = { title: 'Cloning', said: `Cloned into ${plainLine(directory, 100)}.` };
    const isCloned = await this.#exchange(
      words,
      proxy,
      async (git, exchange) => void (await git.clone({ ...options, ...exchange })),
    );
    if (isCloned) await this.choose(directory);
    return isCloned;
  }

  /** Sends the current branch to `origin`, gets the branches of that, or joins its branch with the current one. */
  async exchange(type: 'push' | 'fetch' | 'pull', proxy: GitProxyAddress | undefined): Promise<boolean> {
    const directory = this.#directory ?? '';
    const branch = plainLine(this.#state.repository?.branches.current ?? 'HEAD', 60);
    const words = {
      push: { title: 'Pushing', said: `Pushed ${branch} to origin.` },
      fetch: { title: 'Fetching', said: 'Fetched from origin.' },
      pull: { title: 'Pulling', said: '' },
    }[type];
    const author = this.author === undefined ? {} : { author: this.author };
    const isDone = await this.#exchange(words, proxy, async (git, options) => {
      if (type !== 'pull') return void (await git[type]({ directory, ...options }));
      return pulled[(await git.pull({ directory, ...author, ...options })).kind];
    });
    await this.refresh();
    return isDone;
  }

  /** Ends the work with a server that is under way. */
  cancel(): void {
    this.#task?.abort();
    this.#answerSignIn?.(undefined);
  }

  /** Answers a server that asked who is there; `undefined` gives up. */
  signIn(signIn: SignIn | undefined, { keep = false }: { readonly keep?: boolean } = {}): void {
    const asked = this.#state.signIn;
    if (keep && signIn !== undefined && asked !== undefined) this.#signIns.set(keyOf(asked), signIn);
    this.#answerSignIn?.(signIn);
  }

  dismiss(): void {
    this.#update({ problem: undefined, readProblem: undefined });
  }

  async #readWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const { connection, state } = this.#model;
    if (connection === undefined) return;
    const chosen = this.#directory;
    try {
      const found = await findRepositories(connection, { directory: workDirectory(state.info), chosen });
      const { repositories } = found;
      const shown = repositories.find((path) => path === chosen) ?? repositories[0];
      const repository = shown === undefined ? undefined : await readRepository(connection, shown);
      // Another one was chosen meanwhile, which is read next.
      if (this.#directory !== chosen) return;
      this.#directory = shown;
      this.#update({ ...found, repository, readProblem: undefined });
    } catch (error) {
      this.#update({ repositories: this.#state.repositories ?? [], readProblem: dataOf(error) });
    }
  }

  async #exchange(
    { title, said }: { readonly title: string; readonly said: string },
    proxy: GitProxyAddress | undefined,
    /** Resolves to what it did, if `said` does not say. */
    work: (git: Git, options: ExchangeOptions) => Promise<string | undefined>,
  ): Promise<boolean> {
    const { connection } = this.#model;
    if (connection === undefined || this.#task !== undefined) return false;
    const task = new AbortController();
    this.#task = task;
    const show = (text: string): void => {
      // Progress may come after the result, over a port of its own.
      if (this.#task === task)
        this.#update({
          task: { title, text: afterTitle(plainLine(text, 120), title), share: shareOf(text) },
        });
    };
    this.#update({ task: { title, text: '', share: undefined }, said: `${title} …`, problem: undefined });
    let ended = '';
    try {
      const did = await work(new Git(connection), {
        signal: task.signal,
        ...(proxy ? { proxy } : {}),
        onProgress: ({ text = '' }) => show(text),
        onCredentials: ({ origin }) => this.#askSignIn({ origin, through: proxy?.url }, task.signal),
      });
      ended = did ?? said;
      return true;
    } catch (cause) {
      const error = dataOf(cause);
      if (!task.signal.aborted) {
        this.#forgetRefused(error, proxy?.url);
        this.#update({ problem: error });
      }
      return false;
    } finally {
      this.#task = undefined;
      this.#update({ task: undefined, signIn: undefined, said: ended });
    }
  }

  /** Resolves when the user has answered, or has cancelled the work. */
  async #askSignIn(asked: SignInRequest, signal: AbortSignal): Promise<SignIn | undefined> {
    const kept = this.#signIns.get(keyOf(asked));
    if (kept !== undefined || signal.aborted) return kept;
    const { promise, resolve } = Promise.withResolvers<SignIn | undefined>();
    this.#answerSignIn = resolve;
    this.#update({ signIn: asked });
    try {
      const answer = await promise;
      // To give up is no error to tell.
      if (answer === undefined) this.#task?.abort();
      return answer;
    } finally {
      this.#answerSignIn = undefined;
      this.#update({ signIn: undefined });
    }
  }

  /** A kept sign-in that a server refuses is asked for again the next time. */
  #forgetRefused({ details }: ErrorData, through: string | undefined): void {
    const { needs, origin } = details;
    if (needs === 'credentials' && typeof origin === 'string')
      this.#signIns.delete(keyOf({ origin, through }));
  }

  /** Changes the repository, one thing at a time: what is asked for meanwhile is not done. */
  async #change(work: (parts: Parts) => Promise<unknown>, said: string): Promise<boolean> {
    const parts = this.#parts();
    if (parts === undefined || this.#state.isChanging) return false;
    this.#update({ isChanging: true, said: '' });
    let isDone = false;
    try {
      await work(parts);
      isDone = true;
      this.#update({ problem: undefined });
    } catch (error) {
      this.#update({ problem: dataOf(error) });
    }
    await this.refresh();
    // What is said to be done is what the panel shows.
    this.#update(isDone ? { isChanging: false, said } : { isChanging: false });
    return isDone;
  }

  /** Reads what the panel shows, of which no error that the user has to answer is replaced. */
  async #look<T>(work: (parts: Parts) => Promise<T>): Promise<T | undefined> {
    const parts = this.#parts();
    if (parts === undefined) return undefined;
    try {
      const result = await work(parts);
      this.#update({ readProblem: undefined });
      return result;
    } catch (error) {
      this.#update({ readProblem: dataOf(error) });
      return undefined;
    }
  }

  #parts(): Parts | undefined {
    const { connection } = this.#model;
    const directory = this.#directory;
    if (connection === undefined || directory === undefined) return undefined;
    return { connection, git: new Git(connection), directory };
  }

  #update(change: Partial<GitState>): void {
    this.#state = { ...this.#state, ...change };
    this.dispatchEvent(new Event('change'));
  }
}

/** The desk of each sandbox, which goes on while another panel is shown. */
const desks = new WeakMap<SandboxModel, GitDesk>();

export function deskOf(model: SandboxModel): GitDesk {
  const known = desks.get(model);
  if (known !== undefined) return known;
  const made = new GitDesk(model);
  desks.set(model, made);
  return made;
}

interface Parts {
  readonly connection: SandboxConnection;
  readonly git: Git;
  readonly directory: string;
}

const pulled = {
  'up-to-date': 'Pulled: there is nothing new.',
  'fast-forward': 'Pulled: the branch is where that of origin is.',
  merge: 'Pulled, and merged with your commits.',
} as const;

/** What was entered for a server goes to no other, and to no bridge that it was not entered for. */
function keyOf({ origin, through = '' }: SignInRequest): string {
  return JSON.stringify([origin, through]);
}

/** What is shown behind the title, which git may say itself: `Cloning https://…`. */
function afterTitle(text: string, title: string): string {
  return text.startsWith(`${title} `) ? text.slice(title.length + 1) : text;
}

function nameFiles(paths: readonly string[] | undefined): string {
  if (paths === undefined) return 'everything';
  return paths.length === 1 ? plainLine(paths[0] ?? '', 60) : `${paths.length} files`;
}

function dataOf(error: unknown): ErrorData {
  return SandboxError.from(error).toData();
}
