import { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';

const patterns = new Map<string, Regex>();
const mostPatterns = 256;

/** Whether a path is at or below one of some paths of the tree, or matches one that has a wildcard; `.` is all, and so is none at all. */
export function isWithinPaths(paths: readonly string[], path: string): boolean {
  let [isAny, isWithin] = [false, false];
  for (const each of paths) {
    if (isExclusion(each)) {
      if (isWithinPath(each.slice(exclusion.length), path)) return false;
    } else {
      isAny = true;
      isWithin ||= isWithinPath(each, path);
    }
  }
  return isWithin || !isAny;
}

/** Whether paths leave nothing out. */
export function areAllPaths(paths: readonly string[]): boolean {
  return paths.length === 0 || (paths.includes('.') && !paths.some(isExclusion));
}

/** Stands before a path that is left out (`:!PATH`): none has a NUL. */
const exclusion = '\0!';

export function isExclusion(path: string): boolean {
  return path.startsWith(exclusion);
}

/** What stands before a path to say how it is meant (gitglossary, "pathspec"). @throws NotInShellError */
export function parsePathspec(text: string): {
  readonly path: string;
  readonly mark: string;
  readonly isFromTop: boolean;
} {
  const [short, named, signs = ''] = /^:(?:\(([^)]*)\)|([!^/]*))/.exec(text) ?? [];
  if (short === undefined) return { path: text, mark: '', isFromTop: false };
  const words = named === undefined ? [...signs] : named.split(',').filter(Boolean);
  const unknown = words.find((word) => !['!', '^', '/', 'exclude', 'top'].includes(word));
  if (unknown !== undefined)
    throw new NotInShellError(`fatal: the git of a shell knows no ':(${unknown})' before a path`, 128);
  const path = text.slice(short.length).replace(named === undefined && signs !== '' ? /^:/ : /^/, '');
  const isOut = words.some((word) => word === '!' || word === '^' || word === 'exclude');
  const isFromTop = words.some((word) => word === '/' || word === 'top');
  return { path: path === '' ? '.' : path, mark: isOut ? exclusion : '', isFromTop };
}

function isWithinPath(asked: string, path: string): boolean {
  if (asked === '.' || path === asked || path.startsWith(`${asked}/`)) return true;
  return /[*?[]/.test(asked) && patternOf(asked).test(path);
}

/** As git matches paths (`fnmatch` without FNM_PATHNAME): a star goes on past slashes, and what is below a match is in. */
function patternOf(glob: string): Regex {
  const known = patterns.get(glob);
  if (known) return known;
  if (patterns.size >= mostPatterns) patterns.clear();
  const pattern = globPattern(`^${globSource(glob, { star: '.*', any: '.' })}(/.*)?$`, glob);
  patterns.set(glob, pattern);
  return pattern;
}

/** The source of a regular expression for a glob. */
export function globSource(
  glob: string,
  { star, any }: { readonly star: string; readonly any: string },
): string {
  let source = '';
  for (let at = 0; at < glob.length; at++) {
    const unit = glob.charAt(at);
    if (unit === '*') {
      while (glob[at + 1] === '*') at += 1;
      source += star;
    } else if (unit === '?') source += any;
    else if (unit === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end < 0) source += '\\[';
      else {
        const inside = glob.slice(at + 1, end).replace(/^[!^]/, '^');
        source += `[${inside}]`;
        at = end;
      }
    } else if (unit === '\\' && at + 1 < glob.length) {
      at += 1;
      source += escaped(glob.charAt(at));
    } else source += escaped(unit);
  }
  return source;
}

/** By an engine whose time is bounded by the path: a hostile pattern holds no thread. @throws GitCommandError */
export function globPattern(source: string, glob: string): Regex {
  try {
    return new Regex(source, { syntax: 'extended' });
  } catch {
    throw new GitCommandError(`fatal: bad pattern: ${glob}`);
  }
}

function escaped(unit: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(unit) ? `\\${unit}` : unit;
}
