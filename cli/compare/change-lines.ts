import type { Change } from '../../protocol/sandbox/history.ts';
import { plainText } from '../output/plain-text.ts';
import type { Style } from '../output/style.ts';

const letters = {
  created: ['A', 'green'],
  modified: ['M', 'yellow'],
  deleted: ['D', 'red'],
  renamed: ['R', 'cyan'],
  metadata: ['m', 'magenta'],
} as const satisfies Record<Change['type'], readonly [string, string]>;

/** What the letters say, for the help. */
export const lettersHelp =
  'A: created, M: modified, D: deleted, R: renamed, m: only mode, owner, time or attributes changed';

/** One change as git's short status has it: a letter, then the path; directories end in a slash. */
export function changeLine(change: Change, style: Style): string {
  const [letter, colour] = letters[change.type];
  const { path, from } = change;
  const end = change.isDirectory ? '/' : '';
  const shown = from === undefined ? plainText(path) : `${plainText(from)} -> ${plainText(path)}`;
  return style.line([[colour, letter], `  ${shown}${end}`]);
}

/** Of a step on a terminal, whose last lines would push all others off the screen. */
const shownChanges = 40;

/** All changes for a program that reads them; on a terminal so many, and how many more there are, which the command `whole` lists. */
export function changeLines(
  changes: readonly Change[],
  { style, whole }: { readonly style: Style; readonly whole: string },
): string[] {
  const shown =
    style.isTerminal && changes.length > shownChanges ? changes.slice(0, shownChanges - 1) : changes;
  const lines = shown.map((change) => changeLine(change, style));
  const left = changes.length - shown.length;
  return left === 0 ? lines : [...lines, `… and ${left} more: ${whole} lists all`];
}

/** Those at one of the paths, or below; all where no path is given. */
export function changesBelow(changes: readonly Change[], paths: readonly string[]): readonly Change[] {
  if (paths.length === 0) return changes;
  const wanted = paths.map((path) => path.replace(/\/+$/, ''));
  const isWanted = (path: string) => wanted.some((each) => path === each || path.startsWith(`${each}/`));
  return changes.filter(({ path, from }) => isWanted(path) || (from !== undefined && isWanted(from)));
}
