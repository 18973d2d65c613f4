import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitPerson } from '../../../protocol/sandbox/git.ts';
import { assertRevision } from '../git-names.ts';
import { boundedObjects, CheckedPacks } from './bounded-objects.ts';
import type { GitFileCalls, GitFiles } from './git-files.ts';
import { loadLibrary } from './load-library.ts';
import { quotePath } from './quote-path.ts';
import { SettingsFile, settingKey } from './settings-file.ts';

/** The id of a tree without entries. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** The folder of git's own in the home of the sandbox's user, and the files of settings there: of two, the later counts. */
export const userSettings = '/home/user/.config/git';
export const userSettingFiles: readonly string[] = [`${userSettings}/config`, '/home/user/.gitconfig'];

const checkedPacks = new WeakMap<GitFiles, CheckedPacks>();

function checkedPacksOf(files: GitFiles): CheckedPacks {
  const known = checkedPacks.get(files) ?? new CheckedPacks();
  checkedPacks.set(files, known);
  return known;
}

/** One repository, for one operation of the library: what it has read is kept until then. */
export class Repository {
  readonly library: Awaited<ReturnType<typeof loadLibrary>>;
  readonly signal: AbortSignal;
  /** What every call of the library gets. */
  readonly at: {
    readonly fs: { readonly promises: GitFileCalls };
    readonly dir: string;
    /** Of a repository without a working tree, which is its own. */
    readonly gitdir?: string;
    readonly cache: object;
  };
  readonly #lastingCalls: GitFileCalls;
  readonly #given: ReadonlyMap<string, string>;
  readonly #settings = new Map<string, { readonly version: string; readonly file: SettingsFile }>();
  #quotesBytes = false;

  private constructor(
    parts: Pick<Repository, 'library' | 'signal' | 'at'> & {
      readonly lastingCalls: GitFileCalls;
      readonly given: ReadonlyMap<string, string>;
      readonly quotesBytes: boolean;
    },
  ) {
    this.#lastingCalls = parts.lastingCalls;
    this.#given = parts.given;
    this.#quotesBytes = parts.quotesBytes;
    this.library = parts.library;
    this.signal = parts.signal;
    this.at = parts.at;
  }

  /** That of a working tree; with `isNew`, one that is to be made there. @throws not-found */
  static async open(
    files: GitFiles,
    directory: string,
    {
      signal,
      what,
      isNew = false,
      isBare = false,
      given,
    }: {
      readonly signal: AbortSignal;
      readonly what: string;
      readonly isNew?: boolean;
      /** Whether the directory is what `.git` is elsewhere. */
      readonly isBare?: boolean;
      /** Settings that come before those of files (`git -c`); for a command, which quotes names as it is set to. */
      readonly given?: ReadonlyMap<string, string> | undefined;
    },
  ): Promise<Repository> {
    if (!isNew && !isBare && !files.isThere(`${directory}/.git`)) {
      throw new SandboxError('not-found', `${what}: "${directory}" is no git repository`, {
        details: { remedy: 'Name the top directory of a repository, or clone one there.' },
      });
    }
    const callsWithin = (each: AbortSignal) =>
      boundedObjects(files.within(directory, each), checkedPacksOf(files));
    const place = { dir: directory, ...(isBare ? { gitdir: directory } : {}) };
    const at = { fs: { promises: callsWithin(signal) }, ...place, cache: {} };
    const lastingCalls = callsWithin(new AbortController().signal);
    const repository = new Repository({
      ...{ library: await loadLibrary(), signal, at, lastingCalls },
      given: new Map([...(given ?? [])].map(([key, value]) => [settingKey(key) ?? key, value])),
      quotesBytes: false,
    });
    if (given) repository.#quotesBytes = !isFalse(await repository.setting('core.quotepath'));
    return repository;
  }

  /** A path as commands print it (`core.quotePath`). */
  quoted(path: string): string {
    return quotePath(path, { bytes: this.#quotesBytes });
  }

  /** The same one, over other calls. */
  withFiles(calls: GitFileCalls): Repository {
    const { library, signal, at } = this;
    return new Repository({
      ...{ library, signal, ...this.#passedOn() },
      at: { ...at, fs: { promises: calls }, cache: {} },
    });
  }

  /** The same one, that goes on when the signal is aborted: to undo what was begun. The operation ends only after it. */
  lasting(): Repository {
    const { library, at } = this;
    return new Repository({
      ...{ library, ...this.#passedOn(), signal: new AbortController().signal },
      at: { ...at, fs: { promises: this.#lastingCalls }, cache: {} },
    });
  }

  #passedOn() {
    return { lastingCalls: this.#lastingCalls, given: this.#given, quotesBytes: this.#quotesBytes };
  }

  /** The commit that HEAD is at; `undefined` before the first one. */
  async head(): Promise<string | undefined> {
    return this.library.resolveRef({ ...this.at, ref: 'HEAD' }).catch((error) => {
      if (error.code === 'NotFoundError') return undefined;
      throw error;
    });
  }

  /** HEAD's commit, or a tree without entries before the first one: for comparisons. */
  async headTree(): Promise<string> {
    return (await this.head()) ?? emptyTree;
  }

  async branch(): Promise<string | undefined> {
    return (await this.library.currentBranch({ ...this.at })) ?? undefined;
  }

  /** The commit of a branch, a tag, the start of an id, or an ancestor of one (`HEAD~2`). @throws NotFoundError, invalid-argument */
  async commitOf(revision: string): Promise<string> {
    assertRevision(revision, 'Cannot find the commit');
    const end = revision.search(/[~^]|$/);
    let { oid } = await this.library.readCommit({
      ...this.at,
      oid: await this.#oidOf(revision.slice(0, end)),
    });
    for (const [, sign, digits = ''] of revision.slice(end).matchAll(/([~^])(\d*)/g)) {
      const count = digits === '' ? 1 : Number(digits);
      // `^2` is the second parent, `~2` the parent of the parent.
      const [steps, parent] = sign === '^' ? [Math.min(count, 1), count - 1] : [count, 0];
      for (let step = 0; step < steps; step++) oid = await this.#parentOf(oid, { parent, revision });
    }
    return oid;
  }

  async #parentOf(oid: string, { parent, revision }: { parent: number; revision: string }): Promise<string> {
    this.signal.throwIfAborted();
    const { commit } = await this.library.readCommit({ ...this.at, oid });
    const found = commit.parent[parent];
    if (found === undefined) throw new this.library.Errors.NotFoundError(revision);
    return found;
  }

  /** The URL of a remote. @throws NotFoundError */
  async remoteUrl(remote: string, { pushes = false }: { readonly pushes?: boolean } = {}): Promise<string> {
    const own = pushes ? await this.setting(`remote.${remote}.pushurl`) : undefined;
    const url = own || (await this.setting(`remote.${remote}.url`));
    if (!url) throw new this.library.Errors.NotFoundError(`remote "${remote}"`);
    return url;
  }

  /** Who a commit is by; who is configured, in the repository or for the user, by default. @throws MissingNameError */
  async author(asked: GitPerson | undefined): Promise<GitPerson> {
    const { name = '', email = '' } = asked ?? (await this.configuredAuthor());
    if (name === '' || email === '') throw new this.library.Errors.MissingNameError('author');
    return { name, email };
  }

  /** The commits at which a shallow clone ends: their parents are not there. */
  async shallowCommits(): Promise<ReadonlySet<string>> {
    const { fs, dir } = this.at;
    const text = await fs.promises.readFile(`${dir}/.git/shallow`, 'utf8').catch(() => '');
    return new Set(String(text).split('\n'));
  }

  /** Who is configured as the author, in the repository or for the user. */
  async configuredAuthor(): Promise<Partial<GitPerson>> {
    const [name, email] = await Promise.all([this.setting('user.name'), this.setting('user.email')]);
    return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
  }

  /** A setting: the last one that was given, of the repository, or of the user. A key without a value is true. */
  async setting(path: string): Promise<string | undefined> {
    const key = settingKey(path);
    if (key === undefined) return undefined;
    const given = this.#given.get(key);
    if (given !== undefined) return given;
    for (const file of [this.settingsPath, ...userSettingFiles.toReversed()]) {
      const values = (await this.settingsOf(file)).valuesOf(key);
      if (values.length > 0) return values.at(-1) ?? 'true';
    }
    return undefined;
  }

  /** The file of its own settings. */
  get settingsPath(): string {
    return `${this.at.gitdir ?? `${this.at.dir}/.git`}/config`;
  }

  /** A file of settings; one that is not there has none. @throws invalid-argument for one that git cannot read either */
  async settingsOf(path: string): Promise<SettingsFile> {
    const { promises } = this.at.fs;
    const stat = await promises.stat(path).catch(() => undefined);
    if (!stat?.isFile()) return new SettingsFile('');
    const version = [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
    const known = this.#settings.get(path);
    if (known?.version === version) return known.file;
    if (stat.size > limits.gitSettingsBytes) throw unreadable(path, 'it is too large');
    try {
      const file = new SettingsFile(String(await promises.readFile(path, 'utf8')));
      this.#settings.set(path, { version, file });
      return file;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw unreadable(path, error.message);
    }
  }

  /** Sets a setting of the repository, or takes it out. */
  async set(key: string, value: string | undefined): Promise<void> {
    const wanted = settingKey(key) ?? key;
    const file = await this.settingsOf(this.settingsPath);
    const old = file.settings.filter((each) => each.key === wanted);
    const text =
      value === undefined
        ? file.withReplaced(old)
        : old.length > 0
          ? file.withReplaced(old, { key, value })
          : file.withAdded(key, value);
    await this.at.fs.promises.writeFile(this.settingsPath, text);
    this.#settings.delete(this.settingsPath);
  }

  async #oidOf(name: string): Promise<string> {
    const { library, at } = this;
    try {
      return await library.resolveRef({ ...at, ref: name });
    } catch (error) {
      if (!/^[0-9a-f]{4,40}$/.test(name)) throw error;
      return library.expandOid({ ...at, oid: name });
    }
  }
}

/** Whether a setting says no (git-config, "boolean"). */
export function isFalse(value: string | undefined): boolean {
  return value !== undefined && /^(?:false|no|off|0|)$/i.test(value);
}

function unreadable(path: string, why: string): SandboxError {
  return new SandboxError('invalid-argument', `${why} in file ${path}`, {
    details: { remedy: 'Mend the file, or remove it.' },
  });
}
