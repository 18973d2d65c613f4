/** One line of a line diff. Numbers count from 1; a line that is only on one side has the other `0`. */
export interface DiffLine {
  readonly type: 'same' | 'added' | 'deleted';
  readonly text: string;
  readonly oldNumber: number;
  readonly newNumber: number;
}

/**
 * Edits after which the search for a shortest script stops. Its memory is the square of this. Past it, the
 * differing middle is shown as deleted, then added, which is always correct.
 */
const maxEdits = 1_500;

/**
 * A line diff by Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations",
 * 1986) between two texts, with the common head and tail taken off first.
 */
export function diffLines(oldText: string, newText: string): DiffLine[] {
  const oldLines = splitLines(oldText);
  const newLines = splitLines(newText);
  const head = commonPrefix(oldLines, newLines);
  const tail = commonSuffix(oldLines, newLines, head);
  const oldMiddle = oldLines.slice(head, oldLines.length - tail);
  const newMiddle = newLines.slice(head, newLines.length - tail);
  const steps = [
    ...Array.from({ length: head }, () => 'same' as const),
    ...searchScript(oldMiddle, newMiddle),
    ...Array.from({ length: tail }, () => 'same' as const),
  ];
  return number(steps, oldLines, newLines);
}

/** A final newline ends the last line and starts no further one. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonPrefix(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function commonSuffix(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}

type Step = DiffLine['type'];

function searchScript(a: readonly string[], b: readonly string[]): Step[] {
  const bound = Math.min(a.length + b.length, maxEdits);
  const furthest = new Int32Array(2 * bound + 3);
  const middle = bound + 1;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= bound; edits++) {
    trace.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const below = furthest[middle + k - 1] ?? 0;
      const above = furthest[middle + k + 1] ?? 0;
      let x = k === -edits || (k !== edits && below < above) ? above : below + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return [...a.map(() => 'deleted' as const), ...b.map(() => 'added' as const)];
}

/** Follows the recorded frontiers from the end to the start. */
function walkBack(trace: readonly Int32Array[], aLength: number, bLength: number): Step[] {
  const steps: Step[] = [];
  let x = aLength;
  let y = bLength;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const frontier = trace[edits] ?? new Int32Array();
    const at = (diagonal: number): number => frontier[diagonal + edits + 1] ?? 0;
    const k = x - y;
    const previousK = k === -edits || (k !== edits && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const previousX = edits === 0 ? 0 : at(previousK);
    const previousY = edits === 0 ? 0 : previousX - previousK;
    while (x > previousX && y > previousY) {
      steps.push('same');
      x -= 1;
      y -= 1;
    }
    if (edits > 0) steps.push(x === previousX ? 'added' : 'deleted');
    x = previousX;
    y = previousY;
  }
  return steps.reverse();
}

function number(
  steps: readonly Step[],
  oldLines: readonly string[],
  newLines: readonly string[],
): DiffLine[] {
  let oldNumber = 0;
  let newNumber = 0;
  return steps.map((type) => {
    if (type !== 'added') oldNumber += 1;
    if (type !== 'deleted') newNumber += 1;
    const text = (type === 'deleted' ? oldLines[oldNumber - 1] : newLines[newNumber - 1]) ?? '';
    return {
      type,
      text,
      oldNumber: type === 'added' ? 0 : oldNumber,
      newNumber: type === 'deleted' ? 0 : newNumber,
    };
  });
}
