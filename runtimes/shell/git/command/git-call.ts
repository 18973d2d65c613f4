import type { LibraryGit } from '../../../../sandbox/git/library/library-git.ts';
import { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import type { ProgramCall } from '../../../../shell/programs/program.ts';
import { Output } from '../../../../shell/programs/streams/output.ts';
import { encodeText } from '../../../../shell/text.ts';
import { GitCommandError } from './git-command-error.ts';
import type { GitProgramParts } from './git-program-parts.ts';
import type { ParsedWords } from './parse-words.ts';

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

  get git(): LibraryGit {
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
    return Repository.open(this.parts.files, this.directory, { signal: this.call.signal, what });
  }

  /** Paths of the caller, relative to the top; `.` is all of it. @throws GitCommandError for one outside */
  treePaths(paths: readonly string[]): string[] {
    return paths.map((path) => {
      const names: string[] = [];
      for (const name of absolutePath(this.cwd, path).split('/')) {
        if (name === '..') names.pop();
        else if (name !== '' && name !== '.') names.push(name);
      }
      const whole = `/${names.join('/')}`;
      if (whole === this.directory) return '.';
      if (whole.startsWith(`${this.directory}/`)) return whole.slice(this.directory.length + 1);
      throw new GitCommandError(`fatal: ${path}: '${path}' is outside repository at '${this.directory}'`);
    });
  }

  /**
   * A revision, which may stand first, and paths, as the caller wrote them. @throws GitCommandError for a word that is neither a
   * revision nor a file that is there or that git knows
   */
  async splitOperands(
    repository: Repository,
    { operands, paths }: Pick<ParsedWords, 'operands' | 'paths'>,
  ): Promise<{ readonly revision: string | undefined; readonly paths: readonly string[] }> {
    const [first, ...others] = operands;
    const isRevision =
      first !== undefined &&
      (await repository.commitOf(first).then(
        () => true,
        () => false,
      ));
    const named = isRevision || first === undefined ? others : operands;
    if (named.length > 0) {
      const files = await repository.library.listFiles({ ...repository.at });
      for (const [index, path] of this.treePaths(named).entries()) {
        const isKnown = path === '.' || files.some((file) => file === path || file.startsWith(`${path}/`));
        if (isKnown || this.parts.files.isThere(`${this.directory}/${path}`)) continue;
        throw new GitCommandError(
          `fatal: ambiguous argument '${named[index]}': unknown revision or path not in the working tree.`,
        );
      }
    }
    return { revision: isRevision ? first : undefined, paths: [...named, ...paths] };
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
    return '../'.repeat(above.length - shared) + names.slice(shared).join('/');
  }

  /** Who commits, by the environment, `-c` or the settings. @throws GitCommandError */
  async author(repository: Repository): Promise<{ name: string; email: string }> {
    const configured = await repository.configuredAuthor();
    const { environment } = this.call;
    const name = environment.get('GIT_AUTHOR_NAME') ?? this.settings.get('user.name') ?? configured.name;
    const email = environment.get('GIT_AUTHOR_EMAIL') ?? this.settings.get('user.email') ?? configured.email;
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
