import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { numStat, shortStat, statsOf, statText, summaryText } from '../diff/change-stats.ts';
import { type FileChange, modeText, pathOf } from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { patchOf } from '../diff/patch.ts';
import { pickedChanges } from '../diff/pick-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { ParsedWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';

/** Those with which `log` shows what a commit changed. */
const formatFlags: readonly string[] = [
  'stat',
  'numstat',
  'shortstat',
  'summary',
  'name-only',
  'name-status',
  'raw',
  'compact-summary',
];

/** Options of all commands that show changes. */
export const changeFlags: readonly string[] = [
  ...formatFlags.filter((flag) => flag !== 'stat'),
  ...[
    'patch p u',
    'no-patch s',
    'stat',
    'patch-with-stat',
    'no-color',
    'color',
    'no-ext-diff',
    'no-renames',
    'quiet',
    'exit-code',
    'text a',
  ],
  ...[
    'find-renames M',
    'ignore-all-space w',
    'ignore-space-change b',
    'full-index',
    'null z',
    'no-prefix',
    'no-textconv',
    'minimal',
    'indent-heuristic',
  ],
];
export const changeValues: readonly string[] = ['unified U', 'S', 'G', 'diff-filter'];

export function showsChanges(parsed: ParsedWords): boolean {
  return [...formatFlags, 'patch', 'patch-with-stat', 'unified'].some((flag) => parsed.has(flag));
}

/** The changes that options and paths leave, with renames unless they say otherwise. @throws GitCommandError */
export async function chosenChanges(
  repository: Repository,
  changes: readonly FileChange[],
  { parsed, paths }: { readonly parsed: ParsedWords; readonly paths: readonly string[] },
): Promise<FileChange[]> {
  const color = parsed.value('color');
  if (color !== undefined && !['never', 'auto', ''].includes(color))
    throw new NotInShellError(`fatal: the git of a shell shows no colors`, 128);
  const within = changes.filter((change) => isWithinPaths(paths, pathOf(change)));
  const setting = await repository.setting('diff.renames');
  const finds = !parsed.has('no-renames') && (parsed.has('find-renames') || setting !== 'false');
  const least = likenessOf(parsed.value('find-renames') ?? '');
  const renamed = finds ? await findRenames(repository, within, { least }) : within;
  const filter = parsed.value('diff-filter');
  const kept = filter === undefined ? renamed : renamed.filter(({ kind }) => passes(kind, filter));
  return pickedChanges(repository, kept, { string: parsed.value('S'), expression: parsed.value('G') });
}

/** `90%`, `9` and `0.9` are one likeness: digits alone are those of a fraction. @throws GitCommandError */
function likenessOf(text: string): number {
  if (text === '') return 50;
  const [, digits = '', fraction = '', percent] = /^(\d+)(?:\.(\d+))?(%)?$/.exec(text) ?? [];
  if (digits === '') throw new GitCommandError(`error: invalid argument to find-renames`, 129);
  if (percent !== undefined) return Math.min(Number(`${digits}.${fraction || 0}`), 100);
  return Math.min(Number(fraction === '' ? `0.${digits}` : `${digits}.${fraction}`) * 100, 100);
}

/** Of `--stat=WIDTH`. @throws NotInShellError for what else may stand there */
function widthOf(parsed: ParsedWords): number | undefined {
  const text = parsed.value('stat');
  if (!text) return undefined;
  if (!/^\d{1,5}$/.test(text))
    throw new NotInShellError(`fatal: the git of a shell takes the width alone of --stat=${text}`);
  return Number(text) || undefined;
}

function passes(kind: string, filter: string): boolean {
  const left = /[a-z]/.test(filter) && !/[A-Z]/.test(filter) ? 'ACDMRTU' : '';
  return (left + filter).includes(kind) && !filter.includes(kind.toLowerCase());
}

/** Changes as the options ask for them, a patch by default. */
export async function changesText(
  repository: Repository,
  changes: readonly FileChange[],
  { parsed, width = 80 }: { readonly parsed: ParsedWords; readonly width?: number },
): Promise<string> {
  if (changes.length === 0) return '';
  const keyOf = parsed.has('ignore-all-space')
    ? (line: string) => line.replaceAll(/\s+/g, '')
    : parsed.has('ignore-space-change')
      ? (line: string) => line.replaceAll(/\s+/g, ' ').trimEnd()
      : undefined;
  const end = parsed.has('null') ? '\0' : '\n';
  const name = (path: string) => (parsed.has('null') ? path : repository.quoted(path));
  const parts: string[] = [];
  if (parsed.has('raw')) parts.push(changes.map((change) => rawLine(change, { end, name })).join(''));
  if (parsed.has('name-only')) parts.push(changes.map((change) => `${name(pathOf(change))}${end}`).join(''));
  if (parsed.has('name-status'))
    parts.push(changes.map((change) => statusLine(change, { end, name })).join(''));
  const counted = ['numstat', 'stat', 'patch-with-stat', 'compact-summary', 'shortstat'].some((flag) =>
    parsed.has(flag),
  );
  const stats = counted ? await statsOf(repository, changes, { keyOf }) : [];
  if (parsed.has('numstat')) parts.push(numStat(repository, stats, { isNull: parsed.has('null') }));
  if (parsed.has('compact-summary'))
    throw new NotInShellError(
      'fatal: the git of a shell has no --compact-summary; --stat --summary tells the same',
      128,
    );
  if (parsed.has('stat') || parsed.has('patch-with-stat'))
    parts.push(statText(repository, stats, { width: widthOf(parsed) ?? width }));
  if (parsed.has('shortstat')) parts.push(shortStat(stats));
  if (parsed.has('summary')) parts.push(summaryText(repository, changes));
  const isPatch =
    parsed.has('patch') || parsed.has('unified') || parsed.has('patch-with-stat') || !showsChanges(parsed);
  if (isPatch) {
    const context = parsed.has('unified') ? Number(parsed.value('unified')) : undefined;
    if (context !== undefined && !(Number.isInteger(context) && context >= 0))
      throw new GitCommandError(`error: option \`unified' expects a numerical value`, 129);
    const prefixes = parsed.has('no-prefix') ? (['', ''] as const) : undefined;
    const options = {
      context,
      keyOf,
      prefixes,
      isText: parsed.has('text'),
      isFullIndex: parsed.has('full-index'),
    };
    const patches: string[] = [];
    for (const change of changes) patches.push(await patchOf(repository, change, options));
    parts.push(`${parts.length > 0 ? '\n' : ''}${patches.join('')}`);
  }
  return parts.join('');
}

function statusLine(
  change: FileChange,
  { end, name }: { readonly end: string; readonly name: (path: string) => string },
): string {
  const { kind, older, score } = change;
  const tab = end === '\0' ? '\0' : '\t';
  if ((kind === 'R' || kind === 'C') && older)
    return `${kind}${String(score).padStart(3, '0')}${tab}${name(older.path)}${tab}${name(pathOf(change))}${end}`;
  return `${kind}${tab}${name(pathOf(change))}${end}`;
}

function rawLine(
  change: FileChange,
  shown: { readonly end: string; readonly name: (path: string) => string },
): string {
  const { older, newer } = change;
  const id = (side: FileChange['older']) =>
    side?.isInFiles ? '0000000' : (side?.oid ?? '0'.repeat(40)).slice(0, 7);
  const status = statusLine(change, shown);
  return `:${modeText(older?.mode)} ${modeText(newer?.mode)} ${id(older)} ${id(newer)} ${status}`;
}
