import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runStep } from './run-step.ts';
import {
  playwrightCount,
  playwrightFailures,
  type TestCount,
  vitestCount,
  vitestFailures,
} from './test-count.ts';

/** The folder of what test runs write; empty when a run begins. */
export const results: string = join(root, 'test-results');

export interface TestRun {
  /** Of the files that it writes in `results`. */
  readonly name: string;
  /** A test runner and what it is to run. */
  readonly command: readonly ['vitest' | 'playwright', ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Shows the output as it comes, in place of keeping it. */
  readonly isShown?: boolean;
}

/** What came of a test run. */
export interface TestOutcome {
  /** Whether it ran to its end and nothing failed: errors outside of tests fail a run as well. */
  readonly isGood: boolean;
  /** `undefined` if the runner wrote no results. */
  readonly count: TestCount | undefined;
  /** The failed tests by file and name. */
  readonly failures: readonly string[];
  /** Empty if it was shown. */
  readonly output: string;
}

/** Runs a test runner, which writes its results as JSON. */
export async function runTests({ name, command, env, isShown = false }: TestRun): Promise<TestOutcome> {
  const [file, log] = [join(results, `${name}.json`), join(results, `${name}.log`)];
  const isVitest = command[0] === 'vitest';
  const reporters = isVitest
    ? ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
    : ['--reporter=dot,json'];
  const { code, output } = await runStep([...command, ...reporters], {
    ...(isShown ? {} : { log }),
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
  });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { isGood: false, count: undefined, failures: [], output };
  const [parseCount, parseFailures] = isVitest
    ? [vitestCount, vitestFailures]
    : [playwrightCount, playwrightFailures];
  const count = parseCount(text);
  const failures = parseFailures(text).map((failure) => failure.replace(`${root}/`, ''));
  return { isGood: code === 0 && count.failed === 0, count, failures, output };
}
