import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { type ComparedText, functionLookup } from '../../../../shell/programs/compare/format-differences.ts';
import { lineDifferences } from '../../../../shell/programs/compare/line-differences.ts';
import { Steps } from '../../../../shell/programs/streams/steps.ts';
import {
  contentOf,
  type FileChange,
  type FileSide,
  FilesLook,
  fileChanges,
  isBinary,
  modeText,
  pathOf,
  textOf,
} from './file-changes.ts';
import { functionCharacters, linesOf, textDifferences } from './text-hunks.ts';

interface CombinedFile {
  readonly path: string;
  readonly parents: readonly FileSide[];
  readonly result: FileSide;
  /** How the result is named: nothing has its id where it is a file of the working tree. */
  readonly id: string;
}

/** A line that parents have and the result has not. */
interface LostLine {
  readonly text: string;
  readonly isOf: readonly boolean[];
}

interface Line {
  readonly text: string;
  /** The parents that do not have it. */
  readonly isNewTo: readonly boolean[];
  /** Those that stood before it. */
  readonly lost: readonly LostLine[];
}

const context = 3;

/** What a merge has otherwise than each of its parents, as `git show` has it (`--cc`). */
export async function combinedPatches(
  repository: Repository,
  { tree, parents }: { readonly tree: string; readonly parents: readonly string[] },
  isWanted: (path: string) => boolean,
): Promise<string> {
  const byParent: Map<string, FileChange>[] = [];
  for (const parent of parents) {
    const changes = await fileChanges(repository, { older: { tree: parent }, newer: { tree } });
    byParent.push(new Map(changes.map((change) => [pathOf(change), change])));
  }
  const [first] = byParent;
  const parts: string[] = [];
  for (const [path, { newer }] of first ?? []) {
    if (!isWanted(path)) continue;
    const sides = byParent.map((changes) => changes.get(path)?.older);
    // A file that came with the merge, or went with it, has no lines of both sides.
    if (!newer || sides.some((side, index) => !side || !byParent[index]?.has(path))) continue;
    parts.push(
      await combined(repository, {
        path,
        parents: sides.flatMap((side) => side ?? []),
        result: newer,
        id: newer.oid.slice(0, 7),
      }),
    );
  }
  return parts.join('');
}

/** Files with conflicts, beside both sides of them. */
export async function unmergedPatches(
  repository: Repository,
  changes: readonly FileChange[],
): Promise<string> {
  if (changes.length === 0) return '';
  const rows = await indexRows(repository);
  const files = await FilesLook.open(repository);
  const parts: string[] = [];
  for (const change of changes) {
    const path = pathOf(change);
    const [ours, theirs] = [2, 3].map((stage) =>
      rows.find((row) => row.path === path && row.stage === stage),
    );
    const result = await files.at(path, undefined);
    if (ours && theirs && result)
      parts.push(await combined(repository, { path, parents: [ours, theirs], result, id: '0000000' }));
    else parts.push(`* Unmerged path ${repository.quoted(path)}\n`);
  }
  return parts.join('');
}

async function combined(
  repository: Repository,
  { path, parents, result, id }: CombinedFile,
): Promise<string> {
  const name = repository.quoted(path);
  const header = `diff --cc ${name}\nindex ${parents.map(({ oid }) => oid.slice(0, 7)).join(',')}..${id}\n`;
  const modes = parents.some(({ mode }) => mode !== result.mode)
    ? `mode ${parents.map(({ mode }) => modeText(mode)).join(',')}..${modeText(result.mode)}\n`
    : '';
  const contents = await Promise.all(parents.map((side) => contentOf(repository, side)));
  const own = await contentOf(repository, result);
  if ([...contents, own].some(isBinary)) return `${header}${modes}Binary files differ\n`;
  const text = linesOf(textOf(own));
  const lines = await combinedLines(
    repository,
    text,
    contents.map((content) => linesOf(textOf(content))),
  );
  const body = hunks(lines, { parents: parents.length, first: linesOf(textOf(contents[0] ?? own)) });
  return body === '' ? '' : `${header}${modes}--- a/${name}\n+++ b/${name}\n${body}`;
}

async function combinedLines(
  repository: Repository,
  result: ComparedText,
  parents: readonly ComparedText[],
): Promise<Line[]> {
  const isNew = result.lines.map(() => parents.map(() => false));
  const lost: LostLine[][] = Array.from({ length: result.lines.length + 1 }, () => []);
  for (const [parent, text] of parents.entries()) {
    for (const hunk of await textDifferences(text, result, { signal: repository.signal })) {
      const { oldStart, oldCount, newStart, newCount } = hunk;
      for (let at = newStart; at < newStart + newCount; at++) {
        const flags = isNew[at];
        if (flags) flags[parent] = true;
      }
      const own = text.lines.slice(oldStart, oldStart + oldCount).map((line) => ({
        text: line,
        isOf: parents.map((_, index) => index === parent),
      }));
      lost[newStart] = await joinedLost(repository, lost[newStart] ?? [], { own, parent });
    }
  }
  return [...result.lines, ''].map((text, at) => ({ text, isNewTo: isNew[at] ?? [], lost: lost[at] ?? [] }));
}

/** Lines that several parents had at a place are shown once (`coalesce_lines`). */
async function joinedLost(
  repository: Repository,
  known: readonly LostLine[],
  { own, parent }: { readonly own: readonly LostLine[]; readonly parent: number },
): Promise<LostLine[]> {
  if (known.length === 0) return [...own];
  const keys = new Map<string, number>();
  const keyOf = ({ text }: LostLine) => {
    const key = keys.get(text) ?? keys.size;
    keys.set(text, key);
    return key;
  };
  const hunks = await lineDifferences(known.map(keyOf), own.map(keyOf), new Steps(repository.signal));
  const lines: LostLine[] = [];
  let at = 0;
  const shared = (until: number) => {
    for (; at < until; at++) {
      const line = known[at];
      if (line) lines.push({ text: line.text, isOf: line.isOf.map((is, index) => is || index === parent) });
    }
  };
  for (const { oldStart, oldCount, newStart, newCount } of hunks) {
    shared(oldStart);
    for (let index = oldStart; index < oldStart + oldCount; index++)
      lines.push(...known.slice(index, index + 1));
    for (let index = newStart; index < newStart + newCount; index++)
      lines.push(...own.slice(index, index + 1));
    at = oldStart + oldCount;
  }
  shared(known.length);
  return lines;
}

/** Runs of lines that are otherwise than in all parents, in more ways than one; what is as one parent has it is left out. */
function hunks(
  lines: readonly Line[],
  { parents, first }: { readonly parents: number; readonly first: ComparedText },
): string {
  const isInteresting = (line: Line | undefined) =>
    line !== undefined && (line.isNewTo.some(Boolean) || line.lost.length > 0);
  const last = lines.length - 1;
  const counts = countsOf(lines, parents);
  const functionOf = functionLookup(first.lines, functionCharacters);
  let text = '';
  for (let at = 0; at <= last; at++) {
    if (!isInteresting(lines[at])) continue;
    let end = at;
    for (let ahead = at + 1; ahead <= Math.min(end + 2 * context + 1, last); ahead++)
      if (isInteresting(lines[ahead])) end = ahead;
    const run = lines.slice(at, end + 1);
    if (isWorthShowing(run, parents)) {
      const from = Math.max(at - context, 0);
      const hasLine = end < last;
      const to = Math.min(end + (hasLine ? context : 0), last - 1);
      text += hunkText(lines, { from, to, counts, functionOf, endLost: !hasLine });
    }
    at = end;
  }
  return text;
}

function isWorthShowing(run: readonly Line[], parents: number): boolean {
  const patterns = new Set<string>();
  for (const { isNewTo, lost } of run) {
    if (isNewTo.some(Boolean)) patterns.add(isNewTo.map(Number).join(''));
    for (const { isOf } of lost) patterns.add(isOf.map(Number).join(''));
  }
  return patterns.size > 1 || patterns.has('1'.repeat(parents));
}

/** For each line of the result, how many lines of each parent stand before it. */
function countsOf(lines: readonly Line[], parents: number): number[][] {
  const counts: number[][] = [];
  const now = new Array<number>(parents).fill(0);
  for (const { isNewTo, lost } of lines) {
    counts.push([...now]);
    for (let parent = 0; parent < parents; parent++) {
      now[parent] =
        (now[parent] ?? 0) + lost.filter(({ isOf }) => isOf[parent]).length + (isNewTo[parent] ? 0 : 1);
    }
  }
  return counts;
}

function hunkText(
  lines: readonly Line[],
  {
    from,
    to,
    counts,
    functionOf,
    endLost,
  }: {
    readonly from: number;
    readonly to: number;
    readonly counts: readonly number[][];
    readonly functionOf: (line: number) => string;
    readonly endLost: boolean;
  },
): string {
  const parents = counts[0]?.length ?? 0;
  const shown = lines.slice(from, to + 1);
  const tail = endLost ? (lines.at(-1)?.lost ?? []) : [];
  const ranges = Array.from({ length: parents }, (_, parent) => {
    const lost = [...shown.flatMap((line) => line.lost), ...tail].filter(({ isOf }) => isOf[parent]).length;
    const count = shown.filter(({ isNewTo }) => !isNewTo[parent]).length + lost;
    return `-${(counts[from]?.[parent] ?? 0) + 1},${count}`;
  });
  const marks = '@'.repeat(parents + 1);
  // Real git leaves out the last character here.
  const name = functionOf(counts[from]?.[0] ?? 0).slice(0, -1);
  let text = `${marks} ${ranges.join(' ')} +${from + 1},${shown.length} ${marks}${name}\n`;
  const addLost = (lost: Line['lost']) => {
    for (const { text: line, isOf } of lost)
      text += `${isOf.map((is) => (is ? '-' : ' ')).join('')}${line}\n`;
  };
  for (const line of shown) {
    addLost(line.lost);
    text += `${line.isNewTo.map((is) => (is ? '+' : ' ')).join('')}${line.text}\n`;
  }
  addLost(tail);
  return text;
}
