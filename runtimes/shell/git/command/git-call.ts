import type { LibraryGit } from '../../../../sandbox/git/library/library-git.ts';
import { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import type { ProgramCall } from '../../../../shell/programs/program.ts';
import { Output } from '../../../../shell/programs/streams/output.ts';
import { encodeText } from '../../../../shell/text.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitProgramParts } from './git-program-parts.ts';
import type { Signature } from './history-commit.ts';
import { parsePathspec } from './path-patterns.ts';
import { timeOf } from './time-of.ts';

/** A command of git: answers its exit code. */
export type GitCommand = (call: GitCall, words: readonly string[]) => Promise<number>;

/** One call of `git`: where it works, and what it prints to. */
export class GitCall {
  readonly call: ProgramCall;
  readonly parts: GitProgramParts;
  readonly out: Output;
  readonly cwd: string;
  /** Of `-c`, by key. */
  readonly settings: ReadonlyMap<string, string>;
  #root: string | undefined;

  constructor(call: ProgramCall, options: Pick<GitCall, 'parts' | 'cwd' | 'settings'>) {
    this.call = call;
    this.parts = options.parts;
    this.cwd = options.cwd;
    this.settings = options.settings;
    this.out = new Output(call.stdout, call.signal);
  }

  git(): Promise<LibraryGit> {
    return this.parts.git();
  }

  /** The top of the working tree. @throws GitCommandError */
  get directory(): string {
    this.#root ??= this.#findRoot();
    return this.#root;
  }

  get hasRepository(): boolean {
    try {
      return this.directory !== '';
    } catch {
      return false;
    }
  }

  open(): Promise<Repository> {
    const what = 'fatal';
    return Repository.open(this.parts.files, this.directory, {
      signal: this.call.signal,
      what,
      given: this.settings,
    });
  }

  /** Paths of the caller, relative to the top; `.` is all of it, and `isExclusion` tells one that is left out. @throws GitCommandError for one outside */
  treePaths(paths: readonly string[]): string[] {
    return paths.map((text) => {
      const { path, mark, isFromTop } = parsePathspec(text);
      const names: string[] = [];
      for (const name of absolutePath(isFromTop ? this.directory : this.cwd, path).split('/')) {
        if (name === '..') names.pop();
        else if (name !== '' && name !== '.') names.push(name);
      }
      const whole = `/${names.join('/')}`;
      if (whole === this.directory) return `${mark}.`;
      if (whole.startsWith(`${this.directory}/`)) return mark + whole.slice(this.directory.length + 1);
      throw new GitCommandError(`fatal: ${path}: '${path}' is outside repository at '${this.directory}'`);
    });
  }

  /** A path of the tree as the caller, who stands elsewhere, would write it. */
  shownPath(path: string): string {
    const above = this.cwd
      .slice(this.directory.length + 1)
      .split('/')
      .filter(Boolean);
    const names = path.split('/');
    let shared = 0;
    while (shared < above.length && shared < names.length - 1 && above[shared] === names[shared]) shared += 1;
    return '../'.repeat(above.length - shared) + names.slice(shared).join('/') || './';
  }

  /** Who writes or makes a commit, and when: by the environment, `-c` or the settings, and the clock. @throws GitCommandError */
  async signature(repository: Repository, role: 'AUTHOR' | 'COMMITTER'): Promise<Signature> {
    const { environment } = this.call;
    const own = { name: environment.get(`GIT_${role}_NAME`), email: environment.get(`GIT_${role}_EMAIL`) };
    const { name, email } =
      own.name && own.email ? own : { ...(await this.author(repository)), ...withoutEmpty(own) };
    return { name: name ?? '', email: email ?? '', ...timeOf(this, `GIT_${role}_DATE`) };
  }

  /** Changes the repository by itself: what changes an index waits for what is under way. */
  async change<T>(run: (repository: Repository) => Promise<T>): Promise<T> {
    let thrown: { readonly error: unknown } | undefined;
    const work = async (repository: Repository) => {
      try {
        return await run(repository);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      const git = await this.git();
      return await git.change({
        directory: this.directory,
        signal: this.call.signal,
        what: 'fatal',
        given: this.settings,
        run: work,
      });
    } catch (error) {
      throw thrown?.error instanceof GitCommandError ? thrown.error : error;
    }
  }

  /** Who commits, by the environment, `-c` or the settings. @throws GitCommandError */
  async author(repository: Repository): Promise<{ name: string; email: string }> {
    const configured = await repository.configuredAuthor();
    const { environment } = this.call;
    const name = environment.get('GIT_AUTHOR_NAME') ?? configured.name;
    const email = environment.get('GIT_AUTHOR_EMAIL') ?? configured.email;
    if (name && email) return { name, email };
    throw new GitCommandError(
      'Author identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email "you@example.com"\n  git config --global user.name "Your Name"\n\nto set your account\'s default identity.\n\nfatal: unable to auto-detect email address',
    );
  }

  async warn(text: string): Promise<void> {
    await this.out.flush();
    await this.call.stderr.write(encodeText(`${text}\n`), this.call.signal);
  }

  #findRoot(): string {
    for (let at = this.cwd; ; at = at.slice(0, at.lastIndexOf('/'))) {
      if (this.parts.files.isThere(`${at}/.git`)) return at;
      if (at === '') break;
    }
    throw new GitCommandError('fatal: not a git repository (or any of the parent directories): .git');
  }
}

function withoutEmpty(person: { readonly name: string | undefined; readonly email: string | undefined }): {
  name?: string;
  email?: string;
} {
  return { ...(person.name ? { name: person.name } : {}), ...(person.email ? { email: person.email } : {}) };
}
