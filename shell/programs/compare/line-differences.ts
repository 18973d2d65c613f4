import type { Steps } from '../streams/steps.ts';

/** A place where two lists of lines differ: some of the one stand where some of the other are. */
export interface Hunk {
  /** First line from 0, and how many. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** Past this cost the rest counts as changed, as `diff` without `--minimal` gives up too. */
const mostSteps = 30_000_000;

/**
 * The differences between two lists of keys, with as few lines as there can be (Myers, "An O(ND) Difference Algorithm", 1986, with
 * linear space). Equal keys are equal lines.
 */
export async function lineDifferences(
  older: readonly number[],
  newer: readonly number[],
  pace: Steps,
): Promise<Hunk[]> {
  const isRemoved = new Uint8Array(older.length);
  const isAdded = new Uint8Array(newer.length);
  const work = { older, newer, isRemoved, isAdded, pace, steps: 0 };
  await compareRange(work, { oldFrom: 0, oldTo: older.length, newFrom: 0, newTo: newer.length });
  shiftDown(older, isRemoved);
  shiftDown(newer, isAdded);
  return hunksOf(isRemoved, isAdded);
}

interface Work {
  readonly older: readonly number[];
  readonly newer: readonly number[];
  readonly isRemoved: Uint8Array;
  readonly isAdded: Uint8Array;
  /** Lets others have the thread. */
  readonly pace: Steps;
  steps: number;
}

interface RangePair {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

async function compareRange(work: Work, range: RangePair): Promise<void> {
  const waiting = [range];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (work.pace.isDue) await work.pace.next();
    let { oldFrom, oldTo, newFrom, newTo } = next;
    while (oldFrom < oldTo && newFrom < newTo && work.older[oldFrom] === work.newer[newFrom]) {
      oldFrom += 1;
      newFrom += 1;
    }
    while (oldFrom < oldTo && newFrom < newTo && work.older[oldTo - 1] === work.newer[newTo - 1]) {
      oldTo -= 1;
      newTo -= 1;
    }
    if (oldFrom === oldTo || newFrom === newTo) {
      work.isRemoved.fill(1, oldFrom, oldTo);
      work.isAdded.fill(1, newFrom, newTo);
      continue;
    }
    const middle = await findMiddle(work, { oldFrom, oldTo, newFrom, newTo });
    if (middle === undefined) {
      work.isRemoved.fill(1, oldFrom, oldTo);
      work.isAdded.fill(1, newFrom, newTo);
      continue;
    }
    const [oldAt, newAt] = middle;
    waiting.push(
      { oldFrom: oldAt, oldTo, newFrom: newAt, newTo },
      { oldFrom, oldTo: oldAt, newFrom, newTo: newAt },
    );
  }
}

/** Where the ways from both ends meet. */
async function findMiddle(
  work: Work,
  { oldFrom, oldTo, newFrom, newTo }: RangePair,
): Promise<readonly [number, number] | undefined> {
  const { older, newer, pace } = work;
  if (work.steps > mostSteps) return undefined;
  const oldCount = oldTo - oldFrom;
  const newCount = newTo - newFrom;
  // Farther it does not get within its steps.
  const farthest = Math.ceil(Math.sqrt(mostSteps)) + 1;
  const most = Math.min(Math.ceil((oldCount + newCount) / 2) + 1, farthest);
  const offset = most + 1;
  const forward = new Int32Array(2 * offset + 1).fill(-1);
  const backward = new Int32Array(2 * offset + 1).fill(-1);
  const delta = oldCount - newCount;
  const isOdd = delta % 2 !== 0;
  forward[offset + 1] = 0;
  backward[offset + 1] = 0;
  const at = (ways: Int32Array, index: number) => ways[offset + index] ?? -1;
  for (let distance = 0; distance <= most; distance++) {
    work.steps += distance * 2 + 1;
    if (work.steps > mostSteps) return undefined;
    if (pace.isDue) await pace.next();
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const goesDown =
        diagonal === -distance ||
        (diagonal !== distance && at(forward, diagonal - 1) < at(forward, diagonal + 1));
      let x = goesDown ? at(forward, diagonal + 1) : at(forward, diagonal - 1) + 1;
      while (x < oldCount && x - diagonal < newCount && older[oldFrom + x] === newer[newFrom + x - diagonal])
        x += 1;
      forward[offset + diagonal] = x;
      const other = delta - diagonal;
      const mayMeet = isOdd && Math.abs(other) < distance && at(backward, other) >= 0;
      if (mayMeet && x + at(backward, other) >= oldCount)
        return within([oldFrom + x, newFrom + x - diagonal]);
    }
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const goesDown =
        diagonal === -distance ||
        (diagonal !== distance && at(backward, diagonal - 1) < at(backward, diagonal + 1));
      let x = goesDown ? at(backward, diagonal + 1) : at(backward, diagonal - 1) + 1;
      while (
        x < oldCount &&
        x - diagonal < newCount &&
        older[oldTo - 1 - x] === newer[newTo - 1 - (x - diagonal)]
      )
        x += 1;
      backward[offset + diagonal] = x;
      const other = delta - diagonal;
      const mayMeet = !isOdd && Math.abs(other) <= distance && at(forward, other) >= 0;
      if (mayMeet && x + at(forward, other) >= oldCount) return within([oldTo - x, newTo - (x - diagonal)]);
    }
  }
  return undefined;

  /** A place at a corner would divide nothing. */
  function within([oldAt, newAt]: readonly [number, number]): readonly [number, number] | undefined {
    const isCorner = (oldAt === oldFrom && newAt === newFrom) || (oldAt === oldTo && newAt === newTo);
    const isInside = oldAt >= oldFrom && oldAt <= oldTo && newAt >= newFrom && newAt <= newTo;
    return isInside && !isCorner ? [oldAt, newAt] : undefined;
  }
}

/** A run of changed lines that could as well stand later does, as GNU's diff has it. */
function shiftDown(keys: readonly number[], isChanged: Uint8Array): void {
  for (let end = 0; end < keys.length; end++) {
    if (isChanged[end] === 0) continue;
    let start = end;
    while (end < keys.length && isChanged[end] === 1) end += 1;
    while (end < keys.length && keys[start] === keys[end] && isChanged[end] === 0) {
      isChanged[start] = 0;
      isChanged[end] = 1;
      start += 1;
      end += 1;
      while (end < keys.length && isChanged[end] === 1) end += 1;
    }
  }
}

/** Runs of marked lines on both sides; what is unmarked is the same on both. */
export function hunksOf(isRemoved: Uint8Array, isAdded: Uint8Array): Hunk[] {
  const hunks: Hunk[] = [];
  let [oldAt, newAt] = [0, 0];
  while (oldAt < isRemoved.length || newAt < isAdded.length) {
    const [oldStart, newStart] = [oldAt, newAt];
    while (isRemoved[oldAt] === 1) oldAt += 1;
    while (isAdded[newAt] === 1) newAt += 1;
    if (oldAt > oldStart || newAt > newStart) {
      hunks.push({ oldStart, oldCount: oldAt - oldStart, newStart, newCount: newAt - newStart });
      continue;
    }
    oldAt += 1;
    newAt += 1;
  }
  return hunks;
}
