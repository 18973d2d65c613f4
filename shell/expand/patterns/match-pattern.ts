import type { ShellText } from '../../text.ts';
import {
  findSegments,
  type Matching,
  matchSegments,
  matchSegmentsAtEnd,
  segmentsOf,
} from './match-segments.ts';
import { parsePattern } from './parse-pattern.ts';
import {
  type Characters,
  charactersOf,
  MatchWork,
  matchesFixed,
  matchesOne,
  type Pattern,
  type PatternNode,
  type PatternOptions,
} from './pattern.ts';

/** Whether a shell pattern, in which a backslash quotes, matches the whole text. */
export function matches(pattern: ShellText, text: ShellText, options: PatternOptions = {}): boolean {
  return matchesWhole(parsePattern(pattern, options), charactersOf(text));
}

export function matchesWhole(pattern: Pattern, text: Characters): boolean {
  if (pattern.literal !== undefined && typeof text === 'string') return pattern.literal === text;
  if (pattern.length !== undefined)
    return pattern.length === text.length && matchesFixed(pattern.nodes, text, 0);
  if (pattern.nodes.every(({ type }) => type !== 'group')) return matchesStars(pattern.nodes, text);
  return new PrefixMatcher(text).ends(pattern, 0).has(text.length);
}

/** Where what a pattern matches from `from` on ends, at the nearest and at the farthest; `undefined` where nothing is. */
export function matchPrefix(
  pattern: Pattern,
  text: Characters,
  from: number,
): { shortest: number; longest: number } | undefined {
  if (pattern.length !== undefined) {
    const end = from + pattern.length;
    return end <= text.length && matchesFixed(pattern.nodes, text, from)
      ? { shortest: end, longest: end }
      : undefined;
  }
  const segments = segmentsOf(pattern);
  if (segments) return matchSegments(segments, { text, work: new MatchWork() }, from);
  return new PrefixMatcher(text).ends(pattern, from).range();
}

/** The first match from `from` on, the longest of those that begin there. All that are looked for in a text share their work. */
export function findMatch(
  pattern: Pattern,
  { text, work }: Matching,
  from: number,
): { start: number; end: number } | undefined {
  const segments = segmentsOf(pattern);
  if (segments) return findSegments(segments, { text, work }, from);
  const matcher = new PrefixMatcher(text, work);
  for (let start = from; start < text.length; start++) {
    const match = matcher.ends(pattern, start).range();
    if (match) return { start, end: match.longest };
  }
  return undefined;
}

/** Where what a pattern matches up to the text's end begins. */
export function matchSuffix(
  pattern: Pattern,
  text: Characters,
): { shortest: number; longest: number } | undefined {
  if (pattern.length !== undefined) {
    const start = text.length - pattern.length;
    return start >= 0 && matchesFixed(pattern.nodes, text, start)
      ? { shortest: start, longest: start }
      : undefined;
  }
  const segments = segmentsOf(pattern);
  if (segments) return matchSegmentsAtEnd(segments, { text, work: new MatchWork() });
  const reversed = matchPrefix(reversePattern(pattern), [...text].reverse(), 0);
  return reversed && { shortest: text.length - reversed.shortest, longest: text.length - reversed.longest };
}

function reversePattern({ nodes, length, literal }: Pattern): Pattern {
  const reversed = nodes.map((node): PatternNode => {
    return node.type === 'group' ? { ...node, alternatives: node.alternatives.map(reversePattern) } : node;
  });
  return {
    nodes: reversed.reverse(),
    length,
    literal: literal === undefined ? undefined : [...literal].reverse().join(''),
  };
}

/** With stars and no groups: the last star takes one more each time that what follows does not match. */
function matchesStars(nodes: readonly PatternNode[], text: Characters): boolean {
  const work = new MatchWork();
  let at = 0;
  let index = 0;
  let afterStar = -1;
  let starEnd = 0;
  while (at < text.length) {
    const node = nodes[index];
    if (node?.type === 'star') {
      index += 1;
      afterStar = index;
      starEnd = at;
    } else if (node && matchesOne(node, text[at])) {
      index += 1;
      at += 1;
    } else if (afterStar >= 0) {
      work.count(at - starEnd + 1);
      index = afterStar;
      starEnd += 1;
      at = starEnd;
    } else return false;
  }
  return nodes.slice(index).every(({ type }) => type === 'star');
}

/** A set of positions in a text. */
class Positions {
  readonly #bits: Uint8Array;
  count = 0;
  lowest: number;
  highest = -1;

  constructor(length: number) {
    this.#bits = new Uint8Array(length + 1);
    this.lowest = length + 1;
  }

  add(position: number): boolean {
    if (this.#bits[position] === 1) return false;
    this.#bits[position] = 1;
    this.count += 1;
    if (position < this.lowest) this.lowest = position;
    if (position > this.highest) this.highest = position;
    return true;
  }

  has(position: number): boolean {
    return this.#bits[position] === 1;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let position = this.lowest; position <= this.highest; position++) {
      if (this.#bits[position] === 1) yield position;
    }
  }

  range(): { shortest: number; longest: number } | undefined {
    return this.count === 0 ? undefined : { shortest: this.lowest, longest: this.highest };
  }
}

/** All ends of matches at once: no way is gone twice, so that no pattern takes longer than its length times the text's, squared. */
class PrefixMatcher {
  readonly #text: Characters;
  readonly #work: MatchWork;
  readonly #groupEnds: Map<PatternNode, Map<number, Positions>> = new Map();

  constructor(text: Characters, work: MatchWork = new MatchWork()) {
    this.#text = text;
    this.#work = work;
  }

  ends(pattern: Pattern, from: number): Positions {
    let current = this.#positions([from]);
    for (const node of pattern.nodes) {
      if (current.count === 0) return current;
      current = this.#after(node, current);
    }
    return current;
  }

  #positions(positions: Iterable<number> = []): Positions {
    // To make the set costs less than to look at its positions.
    this.#work.count(1 + this.#text.length / 8);
    const set = new Positions(this.#text.length);
    for (const position of positions) set.add(position);
    return set;
  }

  #after(node: PatternNode, current: Positions): Positions {
    const next = this.#positions();
    this.#work.count((node.type === 'star' ? this.#text.length : current.highest) - current.lowest + 1);
    if (node.type === 'star') {
      for (let end = current.lowest; end <= this.#text.length; end++) next.add(end);
    } else if (node.type === 'group') {
      for (const position of current) for (const end of this.#ofGroup(node, position)) next.add(end);
    } else {
      for (const position of current) if (matchesOne(node, this.#text[position])) next.add(position + 1);
    }
    return next;
  }

  #ofGroup(group: Extract<PatternNode, { type: 'group' }>, from: number): Positions {
    let byStart = this.#groupEnds.get(group);
    if (!byStart) {
      byStart = new Map();
      this.#groupEnds.set(group, byStart);
    }
    let ends = byStart.get(from);
    if (!ends) {
      ends = this.#groupFrom(group, from);
      byStart.set(from, ends);
    }
    return ends;
  }

  #groupFrom({ kind, alternatives }: Extract<PatternNode, { type: 'group' }>, from: number): Positions {
    const once = (start: number): Positions => {
      const ends = this.#positions();
      for (const alternative of alternatives) for (const end of this.ends(alternative, start)) ends.add(end);
      return ends;
    };
    if (kind === '@') return once(from);
    const first = once(from);
    if (kind === '?') first.add(from);
    if (kind === '!') {
      const others = this.#positions();
      for (let end = from; end <= this.#text.length; end++) if (!first.has(end)) others.add(end);
      return others;
    }
    if (kind === '?') return first;
    const waiting = [...first];
    for (let start = waiting.pop(); start !== undefined; start = waiting.pop()) {
      for (const end of once(start)) if (first.add(end)) waiting.push(end);
    }
    if (kind === '*') first.add(from);
    return first;
  }
}
