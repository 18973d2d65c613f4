import { limits } from '../../../../protocol/limits.ts';
import { type Repository, userSettings } from '../../../../sandbox/git/library/repository.ts';
import type { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { globPattern, globSource } from './path-patterns.ts';

/** A line of a `.gitignore`, and where it stands. */
export interface IgnoreRule {
  readonly source: string;
  readonly line: number;
  readonly text: string;
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** Matches a path below the file's directory, or only its last name. */
  readonly pattern: Regex;
  readonly isWhole: boolean;
}

/** What is ignored in a working tree (gitignore). Files are read when something in their directory is asked for. */
export class IgnoreRules {
  readonly #repository: Repository;
  readonly #byDirectory = new Map<string, Promise<readonly IgnoreRule[]>>();
  readonly #directories = new Map<string, Promise<IgnoreRule | undefined>>();
  #general: Promise<readonly IgnoreRule[]> | undefined;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** The rule by which a path is ignored, or, with `isNegated`, explicitly not; `undefined` where none says anything. */
  async ruleOf(path: string, isDirectory: boolean): Promise<IgnoreRule | undefined> {
    const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    if (above !== '') {
      // What is in an ignored directory is ignored, whatever is said of it.
      const known = this.#directories.get(above) ?? this.ruleOf(above, true);
      this.#directories.set(above, known);
      const rule = await known;
      if (rule && !rule.isNegated) return rule;
    }
    const names = above === '' ? [] : above.split('/');
    for (let count = names.length; count >= 0; count--) {
      const directory = names.slice(0, count).join('/');
      const rule = lastMatch(await this.#rulesIn(directory), { path, directory, isDirectory });
      if (rule) return rule;
    }
    this.#general ??= this.#readGeneral();
    return lastMatch(await this.#general, { path, directory: '', isDirectory });
  }

  async isIgnored(path: string, isDirectory: boolean): Promise<boolean> {
    const rule = await this.ruleOf(path, isDirectory);
    return rule !== undefined && !rule.isNegated;
  }

  #rulesIn(directory: string): Promise<readonly IgnoreRule[]> {
    const known = this.#byDirectory.get(directory);
    if (known) return known;
    const source = directory === '' ? '.gitignore' : `${directory}/.gitignore`;
    const rules = this.#read(`${this.#repository.at.dir}/${source}`, source);
    this.#byDirectory.set(directory, rules);
    return rules;
  }

  async #readGeneral(): Promise<readonly IgnoreRule[]> {
    const { dir } = this.#repository.at;
    const users =
      (await this.#repository.setting('core.excludesfile'))?.replace(/^~\//, '/home/user/') ??
      `${userSettings}/ignore`;
    return [
      ...(await this.#read(users, users)),
      ...(await this.#read(`${dir}/.git/info/exclude`, '.git/info/exclude')),
    ];
  }

  async #read(path: string, source: string): Promise<readonly IgnoreRule[]> {
    const { promises } = this.#repository.at.fs;
    const stat = await promises.lstat(path).catch(() => undefined);
    if (!stat?.isFile() || stat.size > limits.gitIgnoreBytes) return [];
    const text = String(await promises.readFile(path, 'utf8').catch(() => ''));
    return text.split('\n').flatMap((line, index) => parseRule(line, { source, line: index + 1 }));
  }
}

function parseRule(
  text: string,
  { source, line }: { readonly source: string; readonly line: number },
): IgnoreRule[] {
  let glob = text.replace(/\r$/, '');
  // Blanks at the end count only where they are quoted.
  while (glob.endsWith(' ') && !glob.endsWith('\\ ')) glob = glob.slice(0, -1);
  if (glob === '' || glob.startsWith('#')) return [];
  const isNegated = glob.startsWith('!');
  if (isNegated) glob = glob.slice(1);
  const isForDirectories = glob.endsWith('/');
  if (isForDirectories) glob = glob.slice(0, -1);
  const isWhole = glob.includes('/');
  glob = glob.replace(/^\//, '');
  if (glob === '') return [];
  const options = { star: '[^/]*', any: '[^/]' };
  const parts = glob.split('/');
  const pieces = parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    if (part !== '**') return `${globSource(part, options)}${isLast ? '' : '/'}`;
    return isLast ? '.+' : '(.*/)?';
  });
  try {
    const pattern = globPattern(`^${pieces.join('')}$`, text);
    return [{ source, line, text: text.trimEnd(), isNegated, isForDirectories, pattern, isWhole }];
  } catch {
    return [];
  }
}

function lastMatch(
  rules: readonly IgnoreRule[],
  {
    path,
    directory,
    isDirectory,
  }: { readonly path: string; readonly directory: string; readonly isDirectory: boolean },
): IgnoreRule | undefined {
  const below = directory === '' ? path : path.slice(directory.length + 1);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return rules.findLast(
    ({ pattern, isWhole, isForDirectories }) =>
      (isDirectory || !isForDirectories) && pattern.test(isWhole ? below : name),
  );
}
