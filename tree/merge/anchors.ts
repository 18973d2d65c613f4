/** Where one line stands in each version of a text. */
export interface Anchor {
  readonly base: number;
  readonly ours: number;
  readonly theirs: number;
}

/**
 * Lines that every version has exactly once, in the same order in all: between two of them, the versions can be
 * compared by themselves (as in patience diff). Ascending.
 */
export function findAnchors(versions: {
  readonly base: readonly number[];
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}): Anchor[] {
  const ours = uniqueLines(versions.ours);
  const theirs = uniqueLines(versions.theirs);
  const anchors: Anchor[] = [];
  for (const [line, base] of uniqueLines(versions.base)) {
    const inOurs = ours.get(line);
    const inTheirs = theirs.get(line);
    if (inOurs !== undefined && inTheirs !== undefined)
      anchors.push({ base, ours: inOurs, theirs: inTheirs });
  }
  anchors.sort((one, other) => one.base - other.base);
  return longestAscending(
    longestAscending(anchors, (anchor) => anchor.ours),
    (anchor) => anchor.theirs,
  );
}

/** Lines that are there once, and where. */
function uniqueLines(lines: readonly number[]): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    places.set(line, index);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

/** The longest subsequence whose values ascend, by patience sorting. */
function longestAscending<T>(items: readonly T[], placeOf: (item: T) => number): T[] {
  interface Card {
    readonly item: T;
    readonly before: Card | undefined;
  }
  const piles: Card[] = [];
  for (const item of items) {
    const value = placeOf(item);
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const top = piles[middle];
      if (top && placeOf(top.item) < value) low = middle + 1;
      else high = middle;
    }
    piles[low] = { item, before: piles[low - 1] };
  }
  const found: T[] = [];
  for (let card = piles.at(-1); card; card = card.before) found.push(card.item);
  return found.reverse();
}
