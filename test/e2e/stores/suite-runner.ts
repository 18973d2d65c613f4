/**
 * Stands where `vitest` is imported, so that the conformance suites run in a browser's worker:
 * collects the tests, then runs them one after the other. The assertions are Vitest's own.
 */
export { expect } from 'vitest';

export interface TestOutcome {
  readonly title: string;
  readonly error: string | undefined;
}

const tests: { title: string; run: () => unknown }[] = [];
let group = '';

export function describe(title: string, define: () => void): void {
  const outer = group;
  group = `${group}${title} > `;
  define();
  group = outer;
}

export function test(title: string, run: () => unknown): void {
  tests.push({ title: group + title, run });
}

export async function runTests(): Promise<TestOutcome[]> {
  const outcomes: TestOutcome[] = [];
  for (const { title, run } of tests) {
    try {
      await run();
      outcomes.push({ title, error: undefined });
    } catch (error) {
      outcomes.push({
        title,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
  return outcomes;
}
