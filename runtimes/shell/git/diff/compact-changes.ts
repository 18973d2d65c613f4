import { type Hunk, hunksOf } from '../../../../shell/programs/compare/line-differences.ts';

interface Side {
  readonly keys: readonly number[];
  readonly lines: readonly string[];
  readonly isChanged: Uint8Array;
}

interface Group {
  start: number;
  end: number;
}

interface Score {
  indent: number;
  penalty: number;
}

/** Of git's own (xdiffi.c): how far a group is moved, and what speaks against a place. */
const mostSliding = 100;
const mostBlanks = 20;
const mostIndent = 200;
const mostLooked = 4_096;
const penalties = {
  startOfFile: 1,
  endOfFile: 21,
  totalBlank: -30,
  postBlank: 6,
  indent: -4,
  indentWithBlank: 10,
  outdent: 24,
  outdentWithBlank: 17,
  dedent: 23,
  dedentWithBlank: 17,
};
const indentWeight = 60;

/**
 * Moves runs of changed lines that could as well stand elsewhere: to lines that the other side has changed too, else to where their indentation
 * fits (`xdl_change_compact`, with the heuristic of indents that git uses by default).
 */
export function compactChanges(
  hunks: readonly Hunk[],
  {
    left,
    right,
    leftLines,
    rightLines,
  }: {
    readonly left: readonly number[];
    readonly right: readonly number[];
    readonly leftLines: readonly string[];
    readonly rightLines: readonly string[];
  },
): Hunk[] {
  const older: Side = { keys: left, lines: leftLines, isChanged: new Uint8Array(left.length + 1) };
  const newer: Side = { keys: right, lines: rightLines, isChanged: new Uint8Array(right.length + 1) };
  for (const { oldStart, oldCount, newStart, newCount } of hunks) {
    older.isChanged.fill(1, oldStart, oldStart + oldCount);
    newer.isChanged.fill(1, newStart, newStart + newCount);
  }
  compact(older, newer);
  compact(newer, older);
  return hunksOf(older.isChanged, newer.isChanged);
}

function compact(side: Side, other: Side): void {
  const group = firstGroup(side);
  const opposite = firstGroup(other);
  for (;;) {
    if (group.end > group.start) settle(side, group, { other, opposite });
    if (!next(side, group)) return;
    next(other, opposite);
  }
}

function settle(side: Side, group: Group, { other, opposite }: { other: Side; opposite: Group }): void {
  let size: number;
  let earliest: number;
  let matching: number;
  do {
    size = group.end - group.start;
    matching = -1;
    while (slideUp(side, group)) previous(other, opposite);
    earliest = group.end;
    if (opposite.end > opposite.start) matching = group.end;
    while (slideDown(side, group)) {
      next(other, opposite);
      if (opposite.end > opposite.start) matching = group.end;
    }
  } while (size !== group.end - group.start);
  if (group.end === earliest) return;
  if (matching !== -1) {
    while (opposite.end === opposite.start && slideUp(side, group)) previous(other, opposite);
    return;
  }
  let best: Score | undefined;
  let bestEnd = group.end;
  for (let end = Math.max(earliest, group.end - size - 1, group.end - mostSliding); end <= group.end; end++) {
    const score = { indent: 0, penalty: 0 };
    addSplit(score, side.lines, end);
    addSplit(score, side.lines, end - size);
    if (best && compareScores(score, best) > 0) continue;
    best = score;
    bestEnd = end;
  }
  while (group.end > bestEnd && slideUp(side, group)) previous(other, opposite);
}

function firstGroup({ isChanged }: Side): Group {
  const group = { start: 0, end: 0 };
  while (isChanged[group.end] === 1) group.end += 1;
  return group;
}

function next({ keys, isChanged }: Side, group: Group): boolean {
  if (group.end >= keys.length) return false;
  group.start = group.end + 1;
  group.end = group.start;
  while (isChanged[group.end] === 1) group.end += 1;
  return true;
}

function previous({ isChanged }: Side, group: Group): void {
  if (group.start === 0) return;
  group.end = group.start - 1;
  group.start = group.end;
  while (isChanged[group.start - 1] === 1) group.start -= 1;
}

function slideUp({ keys, isChanged }: Side, group: Group): boolean {
  if (group.start === 0 || keys[group.start - 1] !== keys[group.end - 1]) return false;
  group.start -= 1;
  group.end -= 1;
  isChanged[group.start] = 1;
  isChanged[group.end] = 0;
  while (isChanged[group.start - 1] === 1) group.start -= 1;
  return true;
}

function slideDown({ keys, isChanged }: Side, group: Group): boolean {
  if (group.end >= keys.length || keys[group.start] !== keys[group.end]) return false;
  isChanged[group.start] = 0;
  isChanged[group.end] = 1;
  group.start += 1;
  group.end += 1;
  while (isChanged[group.end] === 1) group.end += 1;
  return true;
}

/** Of a blank line, -1. */
function indentOf(line: string | undefined): number {
  let indent = 0;
  // A line of other blanks, which count for nothing, may be as long as a file.
  for (const unit of line?.slice(0, mostLooked) ?? '') {
    if (unit === ' ') indent += 1;
    else if (unit === '\t') indent += 8 - (indent % 8);
    else if (!/\s/.test(unit)) return indent;
    if (indent >= mostIndent) return mostIndent;
  }
  return -1;
}

function blanksFrom(
  lines: readonly string[],
  from: number,
  step: number,
): { blanks: number; indent: number } {
  let blanks = 0;
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    const indent = indentOf(lines[at]);
    if (indent !== -1) return { blanks, indent };
    blanks += 1;
    if (blanks === mostBlanks) return { blanks, indent: 0 };
  }
  return { blanks, indent: -1 };
}

function addSplit(score: Score, lines: readonly string[], split: number): void {
  const isEnd = split >= lines.length;
  const own = isEnd ? -1 : indentOf(lines[split]);
  const above = blanksFrom(lines, split - 1, -1);
  const below = blanksFrom(lines, split + 1, 1);
  if (above.indent === -1 && above.blanks === 0) score.penalty += penalties.startOfFile;
  if (isEnd) score.penalty += penalties.endOfFile;
  const after = own === -1 ? 1 + below.blanks : 0;
  const blanks = above.blanks + after;
  score.penalty += penalties.totalBlank * blanks + penalties.postBlank * after;
  const indent = own === -1 ? below.indent : own;
  score.indent += indent;
  if (indent === -1 || above.indent === -1 || indent === above.indent) return;
  const hasBlanks = blanks > 0;
  if (indent > above.indent) score.penalty += hasBlanks ? penalties.indentWithBlank : penalties.indent;
  else if (below.indent !== -1 && below.indent > indent)
    score.penalty += hasBlanks ? penalties.outdentWithBlank : penalties.outdent;
  else score.penalty += hasBlanks ? penalties.dedentWithBlank : penalties.dedent;
}

function compareScores(one: Score, other: Score): number {
  return indentWeight * Math.sign(one.indent - other.indent) + (one.penalty - other.penalty);
}
