import type { Radix, RadixNode } from '../content/radix.ts';
import { valuesOf } from '../content/radix.ts';

const bits = 5;

/** One slot that differs: `before` and `after` are not the same value. */
export interface SlotChange<T> {
  readonly index: number;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/**
 * The slots in which two radix arrays differ, in index order. Nodes that both share are skipped, so
 * the cost follows the difference; `visited` counts the nodes that were looked at.
 */
export function radixChanges<T>(
  before: Radix<T>,
  after: Radix<T>,
): { changes: SlotChange<T>[]; visited: number } {
  const found = { changes: [] as SlotChange<T>[], visited: 0 };
  const level = Math.max(before.height, after.height);
  compare(lift(before, level), lift(after, level), { level, start: 0, found });
  return found;
}

/** The root as it would be in a taller trie. */
function lift<T>(radix: Radix<T>, level: number): RadixNode<T> | undefined {
  let node = radix.root;
  for (let height = radix.height; height < level && node !== undefined; height++) {
    node = { epoch: 0, children: [node], values: [], deferred: undefined };
  }
  return node;
}

function compare<T>(
  before: RadixNode<T> | undefined,
  after: RadixNode<T> | undefined,
  at: { level: number; start: number; found: { changes: SlotChange<T>[]; visited: number } },
): void {
  if (before === after) return;
  at.found.visited += 1;
  if (at.level === 0) {
    const left = before ? valuesOf(before) : [];
    const right = after ? valuesOf(after) : [];
    for (let slot = 0; slot < Math.max(left.length, right.length); slot++) {
      const change = { index: at.start + slot, before: left[slot], after: right[slot] };
      if (change.before !== change.after) at.found.changes.push(change);
    }
    return;
  }
  const slots = Math.max(before?.children.length ?? 0, after?.children.length ?? 0);
  for (let slot = 0; slot < slots; slot++) {
    const start = at.start + slot * 2 ** (bits * at.level);
    compare(before?.children[slot], after?.children[slot], { level: at.level - 1, start, found: at.found });
  }
}
