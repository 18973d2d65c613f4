let last = 0;

/**
 * A number that no other tree, and no earlier state of this tree, has had. A node whose epoch is its tree's current
 * one was made after the last snapshot, so no snapshot contains it and it may be changed in place; any other node
 * is shared and is copied first.
 */
export function nextEpoch(): number {
  last += 1;
  return last;
}
