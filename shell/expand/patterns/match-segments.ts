import {
  type Characters,
  type MatchWork,
  matchedLength,
  matchesFixed,
  type Pattern,
  type PatternNode,
} from './pattern.ts';

/** A pattern of characters and stars: what stands between the stars. */
export interface Segments {
  readonly first: readonly PatternNode[];
  /** Those after a star, of which the last may be empty. */
  readonly others: readonly (readonly PatternNode[])[];
}

const segmentsByPattern = new WeakMap<Pattern, { readonly segments: Segments | undefined }>();

/** Divides a pattern at its stars; `undefined` of one with groups. It is done once for a pattern. */
export function segmentsOf(pattern: Pattern): Segments | undefined {
  let known = segmentsByPattern.get(pattern);
  if (!known) {
    known = { segments: divide(pattern) };
    segmentsByPattern.set(pattern, known);
  }
  return known.segments;
}

function divide({ nodes }: Pattern): Segments | undefined {
  if (nodes.some(({ type }) => type === 'group')) return undefined;
  const [first = [], ...others] = nodes.reduce<PatternNode[][]>(
    (segments, node) => {
      if (node.type === 'star') segments.push([]);
      else segments.at(-1)?.push(node);
      return segments;
    },
    [[]],
  );
  return { first, others };
}

/** A text, and what is left of the work on it. */
export interface Matching {
  readonly text: Characters;
  readonly work: MatchWork;
}

/** Where a match that begins at `from` ends, at the nearest and at the farthest. */
export function matchSegments(
  { first, others }: Segments,
  matching: Matching,
  from: number,
): { shortest: number; longest: number } | undefined {
  const { text } = matching;
  if (!matchesFixed(first, text, from)) return undefined;
  let at = from + first.length;
  for (const segment of others.slice(0, -1)) {
    const found = findFirst(segment, matching, at);
    if (found === undefined) return undefined;
    at = found + segment.length;
  }
  const last = others.at(-1);
  if (last === undefined) return { shortest: at, longest: at };
  const nearest = findFirst(last, matching, at);
  if (nearest === undefined) return undefined;
  const farthest = findLast(last, matching, { from: nearest, to: text.length }) ?? nearest;
  return { shortest: nearest + last.length, longest: farthest + last.length };
}

/** Where a match that ends with the text begins, at the nearest and at the farthest from its end. */
export function matchSegmentsAtEnd(
  { first, others }: Segments,
  matching: Matching,
): { shortest: number; longest: number } | undefined {
  const { text } = matching;
  const last = others.at(-1) ?? first;
  let at = text.length - last.length;
  if (at < 0 || !matchesFixed(last, text, at)) return undefined;
  if (others.length === 0) return { shortest: at, longest: at };
  for (const segment of others.slice(0, -1).reverse()) {
    const found = findLast(segment, matching, { from: 0, to: at });
    if (found === undefined) return undefined;
    at = found;
  }
  const shortest = findLast(first, matching, { from: 0, to: at });
  if (shortest === undefined) return undefined;
  return { shortest, longest: findFirst(first, matching, 0) ?? shortest };
}

/** The first match from `from` on, the longest of those that begin there. */
export function findSegments(
  segments: Segments,
  matching: Matching,
  from: number,
): { start: number; end: number } | undefined {
  const start = findFirst(segments.first, matching, from);
  if (start === undefined) return undefined;
  const match = matchSegments(segments, matching, start);
  // What follows the first star is not found from any later place either.
  return match && { start, end: match.longest };
}

function findFirst(
  segment: readonly PatternNode[],
  { text, work }: Matching,
  from: number,
): number | undefined {
  for (let at = from; at + segment.length <= text.length; at++) {
    const matched = matchedLength(segment, text, at);
    work.count(matched + 1);
    if (matched === segment.length) return at;
  }
  return undefined;
}

/** The last match that begins at `from` at the earliest and ends at `to` at the latest. */
function findLast(
  segment: readonly PatternNode[],
  { text, work }: Matching,
  { from, to }: { from: number; to: number },
): number | undefined {
  for (let at = to - segment.length; at >= from; at--) {
    const matched = matchedLength(segment, text, at);
    work.count(matched + 1);
    if (matched === segment.length) return at;
  }
  return undefined;
}
