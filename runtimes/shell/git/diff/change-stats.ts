import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { contentOf, type FileChange, isBinary, modeText, pathOf, textOf } from './file-changes.ts';
import { countChanges } from './text-hunks.ts';

/** How many lines of a file came and went; of one that is no text, how many bytes it had and has. */
export interface FileStat {
  readonly change: FileChange;
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
}

/** As on a terminal of so many columns, which git takes where there is none. */
const columns = 80;

export async function statsOf(
  repository: Repository,
  changes: readonly FileChange[],
  options: { readonly keyOf?: ((line: string) => string) | undefined } = {},
): Promise<FileStat[]> {
  const stats: FileStat[] = [];
  for (const change of changes) {
    const { older, newer, kind } = change;
    if (kind === 'U') continue;
    const [left, right] = [await contentOf(repository, older), await contentOf(repository, newer)];
    if (older?.oid === newer?.oid) stats.push({ change, added: 0, removed: 0, isBinary: isBinary(left) });
    else if (isBinary(left) || isBinary(right))
      stats.push({ change, added: right.length, removed: left.length, isBinary: true });
    else {
      const counts = await countChanges(textOf(left), textOf(right), {
        signal: repository.signal,
        ...options,
      });
      stats.push({ change, ...counts, isBinary: false });
    }
  }
  return stats;
}

/** `docs/{a => b}.md`, as git shortens what both paths share. */
function shownName(repository: Repository, { kind, older, newer }: FileChange): string {
  if ((kind !== 'R' && kind !== 'C') || !older || !newer)
    return repository.quoted((newer ?? older)?.path ?? '');
  const [from, to] = [older.path, newer.path];
  const [one, other] = [repository.quoted(from), repository.quoted(to)];
  if (one !== from || other !== to) return `${one} => ${other}`;
  let prefix = 0;
  for (let at = 0; at < Math.min(from.length, to.length) && from[at] === to[at]; at++)
    if (from[at] === '/') prefix = at + 1;
  let suffix = 0;
  for (let back = 1; back <= Math.min(from.length, to.length) - prefix + (prefix > 0 ? 1 : 0); back++) {
    const [a, b] = [from[from.length - back], to[to.length - back]];
    if (a !== b) break;
    if (a === '/') suffix = back;
  }
  const middles = [from, to].map((path) => path.slice(prefix, Math.max(path.length - suffix, prefix)));
  if (prefix + suffix === 0) return `${from} => ${to}`;
  return `${from.slice(0, prefix)}{${middles[0]} => ${middles[1]}}${from.slice(from.length - suffix)}`;
}

/** As `git diff --stat` (`show_stats`). */
export function statText(
  repository: Repository,
  stats: readonly FileStat[],
  { width = columns }: { readonly width?: number } = {},
): string {
  if (stats.length === 0) return '';
  const names = stats.map(({ change }) => shownName(repository, change));
  const longest = Math.max(...names.map((name) => name.length));
  const texts = stats.filter((stat) => !stat.isBinary);
  const most = Math.max(0, ...texts.map(({ added, removed }) => added + removed));
  const binaries = stats.filter((stat) => stat.isBinary);
  const binaryWidth = Math.max(
    0,
    ...binaries.map(({ added, removed }) => 14 + String(added).length + String(removed).length),
  );
  const numberWidth = Math.max(String(most).length, binaries.length > 0 ? 3 : 0);
  const whole = Math.max(width, 16 + 6 + numberWidth);
  let graphWidth = most + 4 > binaryWidth ? most : binaryWidth - 4;
  let nameWidth = longest;
  if (nameWidth + numberWidth + 6 + graphWidth > whole) {
    const share = Math.floor((whole * 3) / 8) - numberWidth - 6;
    if (graphWidth > share) graphWidth = Math.max(share, 6);
    if (nameWidth > whole - numberWidth - 6 - graphWidth) nameWidth = whole - numberWidth - 6 - graphWidth;
    else graphWidth = whole - numberWidth - 6 - nameWidth;
  }
  const lines = stats.map(({ added, removed, isBinary: isNoText }, index) => {
    const name = fitted(names[index] ?? '', nameWidth).padEnd(nameWidth);
    if (isNoText) {
      const sizes = added === 0 && removed === 0 ? '' : ` ${removed} -> ${added} bytes`;
      return ` ${name} | ${'Bin'.padStart(numberWidth)}${sizes}\n`;
    }
    const marks = graph({ added, removed, graphWidth, most });
    const count = String(added + removed).padStart(numberWidth);
    return ` ${name} | ${count}${added + removed > 0 ? ' ' : ''}${marks}\n`;
  });
  return `${lines.join('')}${shortStat(stats)}`;
}

/** ` 2 files changed, 1 insertion(+)` */
export function shortStat(stats: readonly FileStat[]): string {
  if (stats.length === 0) return '';
  const texts = stats.filter((stat) => !stat.isBinary);
  const added = texts.reduce((sum, stat) => sum + stat.added, 0);
  const removed = texts.reduce((sum, stat) => sum + stat.removed, 0);
  const some = (count: number, word: string, mark: string) =>
    `, ${count} ${word}${count === 1 ? '' : 's'}(${mark})`;
  const insertions = added > 0 || removed === 0 ? some(added, 'insertion', '+') : '';
  const deletions = removed > 0 || added === 0 ? some(removed, 'deletion', '-') : '';
  return ` ${stats.length} file${stats.length === 1 ? '' : 's'} changed${insertions}${deletions}\n`;
}

/** With `isNull`, names as they are, each ended by a NUL. */
export function numStat(
  repository: Repository,
  stats: readonly FileStat[],
  { isNull = false }: { readonly isNull?: boolean } = {},
): string {
  const nameOf = (change: FileChange) => {
    if (!isNull) return `${shownName(repository, change)}\n`;
    const from = change.kind === 'R' || change.kind === 'C' ? `\0${change.older?.path}\0` : '';
    return `${from}${pathOf(change)}\0`;
  };
  return stats
    .map(
      ({ added, removed, isBinary: isNoText, change }) =>
        `${isNoText ? '-\t-' : `${added}\t${removed}`}\t${nameOf(change)}`,
    )
    .join('');
}

/** Which files came, went, were renamed, or got another mode. */
export function summaryText(repository: Repository, changes: readonly FileChange[]): string {
  return changes
    .map((change) => {
      const { kind, older, newer, score } = change;
      if (kind === 'A') return ` create mode ${modeText(newer?.mode)} ${repository.quoted(pathOf(change))}\n`;
      if (kind === 'D') return ` delete mode ${modeText(older?.mode)} ${repository.quoted(pathOf(change))}\n`;
      const isModeChanged = older && newer && older.mode !== newer.mode;
      const modes = ` mode change ${modeText(older?.mode)} => ${modeText(newer?.mode)}`;
      if (kind === 'R')
        return ` rename ${shownName(repository, change)} (${score}%)\n${isModeChanged ? `${modes}\n` : ''}`;
      return isModeChanged ? `${modes} ${repository.quoted(pathOf(change))}\n` : '';
    })
    .join('');
}

function graph({
  added,
  removed,
  graphWidth,
  most,
}: {
  added: number;
  removed: number;
  graphWidth: number;
  most: number;
}): string {
  let [plus, minus] = [added, removed];
  if (graphWidth <= most) {
    const scaled = (count: number) => (count === 0 ? 0 : 1 + Math.floor((count * (graphWidth - 1)) / most));
    const total = Math.max(scaled(added + removed), added > 0 && removed > 0 ? 2 : 0);
    if (added < removed) {
      plus = scaled(added);
      minus = total - plus;
    } else {
      minus = scaled(removed);
      plus = total - minus;
    }
  }
  return '+'.repeat(plus) + '-'.repeat(minus);
}

/** The end of a long name, from a slash on. */
function fitted(name: string, width: number): string {
  if (name.length <= width) return name;
  const end = name.slice(name.length - Math.max(width - 3, 0));
  const slash = end.indexOf('/');
  return `...${slash >= 0 ? end.slice(slash) : end}`;
}
