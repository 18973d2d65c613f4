import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toByteString } from '../../../tree/content/byte-string.ts';
import { folderLimits } from './limits.ts';
import { matchesName, type NamePattern, parseName } from './name-pattern.ts';

/** Tells of a path below the folder, without a slash at its beginning, whether the history leaves it out. */
export type IgnoreRules = (path: ByteString, options: { readonly isDirectory: boolean }) => boolean;

/** The file of the folder that has them. It is part of the history itself. */
export const ignoreFileName = '.coppiceignore';

interface Rule {
  /** Its names; `**` stands for any number of them. */
  readonly names: readonly NamePattern[];
  readonly directoryOnly: boolean;
}

/**
 * Reads rules in the syntax of `.gitignore`, one a line: `*`, `?`, `[a-z]`, `**`, `\\` before what is meant itself, `/` at the beginning for the folder itself and at the end for directories. A
 * name without a slash is left out wherever it is. What is below a directory that is left out is left out too.
 * @throws invalid-argument for exceptions (`!`) and bad lines, limit-exceeded
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  // Some editors of Windows begin a file with a mark.
  const lines = text
    .replace(/^\u{feff}/u, '')
    .split(/\r?\n/)
    .map(withoutBlanks);
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseRule);
  if (rules.length > folderLimits.ignoreRules) {
    throw new SandboxError(
      'limit-exceeded',
      `${ignoreFileName} has more than ${folderLimits.ignoreRules} rules`,
    );
  }
  return (path, { isDirectory }) => {
    const names = path.split('/');
    return rules.some((rule) => (isDirectory || !rule.directoryOnly) && matches(names, rule.names));
  };
}

function parseRule(line: string): Rule {
  if (line.startsWith('!')) {
    const message = `${ignoreFileName} cannot make exceptions, as ${JSON.stringify(line.slice(0, 80))} is one: name what is to be left out`;
    throw new SandboxError('invalid-argument', message);
  }
  const directoryOnly = line.endsWith('/');
  const body = directoryOnly ? line.slice(0, -1) : line;
  const names = toByteString(body.replace(/^\//, '')).split('/').map(parseName);
  return { names: body.includes('/') ? names : ['**', ...names], directoryOnly };
}

/** Blanks at the end are none of a name, but for one after a backslash. */
function withoutBlanks(line: string): string {
  const end = line.trimEnd();
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(end) && end.length < line.length ? `${end} ` : end;
}

/** Most rules are one name, or a path without `**`: those are looked at at once, as each look asks for each file. */
function matches(path: readonly ByteString[], pattern: readonly NamePattern[]): boolean {
  const [first, second] = pattern;
  if (pattern.length === 2 && first === '**' && second !== undefined && second !== '**')
    return matchesName(path.at(-1) ?? '', second);
  if (pattern.includes('**')) return matchesPath(path, pattern);
  return (
    path.length === pattern.length && pattern.every((name, index) => matchesName(path[index] ?? '', name))
  );
}

/** Goes through the names of a path with all places of the pattern that it can be at: no pattern takes long. */
function matchesPath(path: readonly ByteString[], pattern: readonly NamePattern[]): boolean {
  let at = afterAny(new Set([0]), pattern);
  for (const [index, name] of path.entries()) {
    const isLast = index === path.length - 1;
    const next = new Set<number>();
    for (const place of at) {
      const part = pattern[place];
      if (part === '**') {
        next.add(place);
        // At the end it stands for what is below, which is at least one name.
        if (isLast && place === pattern.length - 1) next.add(pattern.length);
      } else if (part !== undefined && matchesName(name, part)) next.add(place + 1);
    }
    at = isLast ? next : afterAny(next, pattern);
  }
  return at.has(pattern.length);
}

/** `**` in the midst of a pattern may stand for no name at all. */
function afterAny(places: Set<number>, pattern: readonly NamePattern[]): Set<number> {
  for (const place of places)
    if (pattern[place] === '**' && place < pattern.length - 1) places.add(place + 1);
  return places;
}
