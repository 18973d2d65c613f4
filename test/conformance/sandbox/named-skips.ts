import { afterAll, beforeEach, expect } from 'vitest';

/** Tests that a runtime does not pass, by their titles, and why. */
export interface NamedSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** Skips these tests of the group around. A title that no test of it has is a failure. */
export function skipByName(skips: readonly NamedSkip[]): void {
  const reasons = new Map(skips.flatMap(({ reason, tests }) => tests.map((title) => [title, reason])));
  const met = new Set<string>();
  beforeEach(({ task, skip }) => {
    met.add(task.name);
    skip(reasons.has(task.name), reasons.get(task.name));
  });
  afterAll(() => expect([...reasons.keys()].filter((title) => !met.has(title))).toEqual([]));
}
