import { shellLimits } from '../../limits.ts';
import { ShellError, ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { ExpansionError, type ExpansionScope } from '../expansion-scope.ts';
import { pause, type Steps } from '../steps.ts';
import { unescapePattern } from './escape-pattern.ts';
import { matchesWhole } from './match-pattern.ts';
import { parsePattern } from './parse-pattern.ts';
import { charactersOf, type Pattern } from './pattern.ts';

/**
 * Names of files that a pattern matches, sorted; `undefined` where the text stays as it is, since it is no pattern or matches
 * nothing. @throws ExpansionError of what matches nothing where `failglob` is on
 */
export function* expandPathname(
  pattern: ShellText,
  scope: ExpansionScope,
): Steps<readonly ShellText[] | undefined> {
  const { options } = scope;
  const extglob = options.hasShopt('extglob');
  if (!hasPattern(pattern, extglob)) return undefined;
  const ignored = ignoredNames(scope);
  const search = new PathnameSearch(scope, {
    extglob,
    dotglob: options.hasShopt('dotglob') || ignored !== undefined,
  });
  const found = (yield* search.find(pattern)).filter((path) => !ignored?.(path));
  if (found.length > 0) return found.sort(compareText);
  if (options.hasShopt('failglob')) throw new ExpansionError(`no match: ${unescapePattern(pattern)}`);
  return options.hasShopt('nullglob') ? [] : undefined;
}

/** Whether there are characters in it that stand for others. */
function hasPattern(pattern: ShellText, extglob: boolean): boolean {
  const withoutQuoted = pattern.replace(/\\[\s\S]/g, '\\');
  if (/[*?]|\[.+\]/s.test(withoutQuoted)) return true;
  return extglob && /[+@!]\(/.test(withoutQuoted);
}

/** `GLOBIGNORE`: names that its patterns match are left out. */
function ignoredNames(scope: ExpansionScope): ((path: ShellText) => boolean) | undefined {
  const value = scope.variables.get('GLOBIGNORE');
  if (value === undefined || value === '') return undefined;
  const options = {
    extglob: scope.options.hasShopt('extglob'),
    ignoreCase: scope.options.hasShopt('nocaseglob'),
  };
  const patterns = (value.match(ignoredPattern) ?? []).map((pattern) =>
    pattern.split('/').map((name) => parsePattern(name, options)),
  );
  return (path) => /(^|\/)\.\.?$/.test(path) || patterns.some((pattern) => matchesPath(pattern, path));
}

/** Up to a colon that is in no bracket expression. */
const ignoredPattern = /(?:\[(?:\[:\w+:\]|[^\]])+\]|\\[\s\S]|[^:])+/g;

/** A slash is matched by a slash alone. */
function matchesPath(patterns: readonly Pattern[], path: ShellText): boolean {
  const names = path.split('/');
  if (names.length !== patterns.length) return false;
  return patterns.every((pattern, index) => matchesWhole(pattern, charactersOf(names[index] ?? '')));
}

/** By code points, as the C locale has it. */
function compareText(one: ShellText, other: ShellText): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

class PathnameSearch {
  readonly #scope: ExpansionScope;
  readonly #extglob: boolean;
  readonly #dotglob: boolean;

  constructor(scope: ExpansionScope, options: { extglob: boolean; dotglob: boolean }) {
    this.#scope = scope;
    this.#extglob = options.extglob;
    this.#dotglob = options.dotglob;
  }

  *find(pattern: ShellText): Steps<ShellText[]> {
    const hasGlobstar = this.#scope.options.hasShopt('globstar');
    const components = splitComponents(pattern).filter((component, index, all) => {
      return !hasGlobstar || !/^\*\*\/+$/.test(component) || !/^\*\*(\/|$)/.test(all[index + 1] ?? '');
    });
    let found: ShellText[] = [''];
    for (const [index, component] of components.entries()) {
      const isLast = index === components.length - 1;
      const extended: ShellText[] = [];
      for (const prefix of found) {
        yield* this.#extend(prefix, { component, isLast, into: extended });
        yield* pause();
      }
      found = extended;
    }
    return found;
  }

  /** Adds the paths that `prefix`, which ends with a slash or is empty, goes on to. */
  *#extend(
    prefix: ShellText,
    { component, isLast, into }: { component: ShellText; isLast: boolean; into: ShellText[] },
  ): Steps<void> {
    const slashes = /\/*$/.exec(component)?.[0] ?? '';
    const name = component.slice(0, component.length - slashes.length);
    if (name === '') return add(prefix + slashes, into);
    if (name === '**' && this.#scope.options.hasShopt('globstar'))
      return yield* this.#descend(prefix, { slashes, isLast, into });
    if (!hasPattern(name, this.#extglob)) {
      const path = prefix + unescapePattern(name);
      if (this.#exists(path, slashes)) add(path + slashes, into);
      return;
    }
    for (const entry of yield* this.#matching(prefix, name)) {
      const path = prefix + entry;
      // However many follow a pattern, one is left.
      if (slashes === '' || this.#isDirectory(path)) add(path + slashes.slice(0, 1), into);
    }
  }

  *#matching(prefix: ShellText, name: ShellText): Steps<ShellText[]> {
    const options = { extglob: this.#extglob, ignoreCase: this.#scope.options.hasShopt('nocaseglob') };
    const pattern = parsePattern(name, options);
    const skipsDots = this.#scope.options.hasShopt('globskipdots');
    const names = skipsDots ? this.#names(prefix) : ['.', '..', ...this.#names(prefix)];
    const mayBeHidden = this.#dotglob || beginsWithDot(pattern);
    const found: ShellText[] = [];
    for (const entry of names) {
      if (!mayBeHidden && entry.startsWith('.')) continue;
      if (matchesWhole(pattern, charactersOf(entry))) found.push(entry);
      yield* pause();
    }
    return found;
  }

  /** `**`: files and directories at every depth, directories alone where a slash follows. Links are not followed. */
  *#descend(
    prefix: ShellText,
    { slashes, isLast, into }: { slashes: ShellText; isLast: boolean; into: ShellText[] },
  ): Steps<void> {
    // `**/` as the last component does not match the directory that it starts in.
    const isOnlyStart = prefix === '' && isLast;
    if (!isOnlyStart) add(prefix, into);
    /** Paths that are to be looked at, of which the last is the next. */
    const waiting = this.#sortedPaths(prefix);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const isDirectory = this.#isDirectory(path, { follow: false });
      if (isDirectory) add(slashes === '' ? path : `${path}/`, into);
      else if (isLast && (slashes === '' || this.#isDirectory(path))) add(path + slashes, into);
      if (isDirectory) for (const inner of this.#sortedPaths(`${path}/`)) waiting.push(inner);
      yield* pause();
    }
  }

  /** Of what is in a directory, the last first. */
  #sortedPaths(directory: ShellText): ShellText[] {
    const names = this.#names(directory).filter((name) => this.#dotglob || !name.startsWith('.'));
    return names
      .sort(compareText)
      .reverse()
      .map((name) => directory + name);
  }

  #absolute(path: ShellText): ShellText {
    if (path.startsWith('/')) return path;
    const { cwd } = this.#scope;
    return cwd.endsWith('/') ? cwd + path : `${cwd}/${path}`;
  }

  #names(prefix: ShellText): readonly ShellText[] {
    return this.#attempt(() => this.#scope.files.readdir(this.#absolute(prefix === '' ? '.' : prefix))) ?? [];
  }

  #exists(path: ShellText, slashes: ShellText): boolean {
    if (slashes !== '') return this.#isDirectory(path);
    return this.#attempt(() => this.#scope.files.lstat(this.#absolute(path))) !== undefined;
  }

  #isDirectory(path: ShellText, { follow = true } = {}): boolean {
    const { files } = this.#scope;
    const absolute = this.#absolute(path);
    const inode = this.#attempt(() => (follow ? files.stat(absolute) : files.lstat(absolute)));
    return inode !== undefined && (inode.mode & 0o170000) === 0o040000;
  }

  #attempt<Result>(look: () => Result): Result | undefined {
    try {
      return look();
    } catch (error) {
      if (error instanceof ShellError) return undefined;
      throw error;
    }
  }
}

/** @throws ShellLimitError */
function add(path: ShellText, into: ShellText[]): void {
  into.push(path);
  if (into.length > shellLimits.words) {
    throw new ShellLimitError('words', `a pattern matches more than ${shellLimits.words} files`);
  }
}

/** A pattern in its names, each with the slashes that follow it. */
function splitComponents(pattern: ShellText): ShellText[] {
  return pattern.match(/(?:\\[\s\S]|[^/\\])*(?:\/+|\\?$)/g)?.filter((component) => component !== '') ?? [];
}

function beginsWithDot({ nodes }: Pattern): boolean {
  const [first] = nodes;
  if (first?.type === 'character') return first.character === '.';
  return first?.type === 'group' && first.kind !== '!' && first.alternatives.some(beginsWithDot);
}
