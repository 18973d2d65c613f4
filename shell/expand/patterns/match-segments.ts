import { type Characters, matchesFixed, type Pattern, type PatternNode } from './pattern.ts';

/** A pattern of characters and stars: what stands between the stars. */
export interface Segments {
  readonly first: readonly PatternNode[];
  /** Those after a star, of which the last may be empty. */
  readonly others: readonly (readonly PatternNode[])[];
}

/** Divides a pattern at its stars; `undefined` of one with groups. */
export function segmentsOf({ nodes }: Pattern): Segments | undefined {
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

/** Where a match that begins at `from` ends, at the nearest and at the farthest. */
export function matchSegments(
  { first, others }: Segments,
  text: Characters,
  from: number,
): { shortest: number; longest: number } | undefined {
  if (!matchesFixed(first, text, from)) return undefined;
  let at = from + first.length;
  for (const segment of others.slice(0, -1)) {
    const found = findFirst(segment, text, at);
    if (found === undefined) return undefined;
    at = found + segment.length;
  }
  const last = others.at(-1);
  if (last === undefined) return { shortest: at, longest: at };
  const nearest = findFirst(last, text, at);
  if (nearest === undefined) return undefined;
  let farthest = text.length - last.length;
  while (!matchesFixed(last, text, farthest)) farthest -= 1;
  return { shortest: nearest + last.length, longest: farthest + last.length };
}

/** The first match from `from` on, the longest of those that begin there. */
export function findSegments(
  segments: Segments,
  text: Characters,
  from: number,
): { start: number; end: number } | undefined {
  for (let start = from; start + segments.first.length <= text.length; start++) {
    if (!matchesFixed(segments.first, text, start)) continue;
    const match = matchSegments(segments, text, start);
    // What follows the first star is not found from any later place either.
    return match && { start, end: match.longest };
  }
  return undefined;
}

function findFirst(segment: readonly PatternNode[], text: Characters, from: number): number | undefined {
  for (let at = from; at + segment.length <= text.length; at++)
    if (matchesFixed(segment, text, at)) return at;
  return undefined;
}
