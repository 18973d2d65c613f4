import { describe, test } from 'vitest';

/** Titles of tests, by the title of their group; or all of a group. */
export type Sample = Readonly<Record<string, readonly string[] | 'all'>>;

interface TestOptions {
  readonly timeout?: number;
}

/** Registers one test of a group. */
export interface RegisterTest {
  (title: string, run: () => Promise<void>): void;
  (title: string, options: TestOptions, run: () => Promise<void>): void;
}

/**
 * Registers the tests of a suite with Vitest: all of them, or only those that a sample names. A test that the sample
 * does not name is not registered at all, so it is not counted as skipped.
 */
export class SuiteTests {
  readonly #sample: Sample | undefined;
  readonly #registered = new Set<string>();

  constructor(sample?: Sample) {
    this.#sample = sample;
  }

  /** Registers a group; `declare` is not called when the sample has no test of it. */
  describe(group: string, declare: (test: RegisterTest) => void): void {
    if (this.#sample === undefined || group in this.#sample)
      describe(group, () => declare(this.alone(group)));
  }

  /** For tests that share nothing and so stand in no group of Vitest's; the sample names them by `group` all the same. */
  alone(group: string): RegisterTest {
    const titles = this.#sample === undefined ? 'all' : (this.#sample[group] ?? []);
    return (title: string, options: TestOptions | (() => Promise<void>), run?: () => Promise<void>) => {
      if (titles !== 'all' && !titles.includes(title)) return;
      this.#registered.add(`${group} > ${title}`).add(group);
      if (typeof options === 'function') test(title, options);
      else test(title, options, run);
    };
  }

  /** What the sample names and no suite has: tests that were renamed or removed. */
  unknown(): string[] {
    const named = Object.entries(this.#sample ?? {}).flatMap(([group, titles]) =>
      titles === 'all' ? [group] : titles.map((title) => `${group} > ${title}`),
    );
    return named.filter((name) => !this.#registered.has(name));
  }
}
