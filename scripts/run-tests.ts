import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runningVariable } from './name-running.ts';
import { root, runStep } from './run-step.ts';
import {
  playwrightCount,
  playwrightFailures,
  type TestCount,
  vitestCount,
  vitestFailures,
} from './test-count.ts';
import { type FileTime, playwrightTimes, vitestTimes } from './test-times.ts';

/** The folder of what test runs write; empty when a run begins. */
export const results: string = join(root, 'test-results');

/** Compiled code of the modules that tests and the processes they start load: a bridge starts in half the processor time. */
const compiled = join(root, 'node_modules', '.compiled');
const stuckMs = 5 * 60_000;

export interface TestRun {
  /** Of the files that it writes in `results`. */
  readonly name: string;
  /** A test runner and what it is to run. */
  readonly command: readonly ['vitest' | 'playwright', ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Shows the output as it comes, in place of keeping it. */
  readonly isShown?: boolean;
  /** Told of the tests that run when none has begun or ended for five minutes, and again after each further five. */
  readonly onStuck?: (tests: string) => void;
}

/** What came of a test run. */
export interface TestOutcome {
  /** Whether it ran to its end and nothing failed: errors outside of tests fail a run as well. */
  readonly isGood: boolean;
  /** `undefined` if the runner wrote no results. */
  readonly count: TestCount | undefined;
  /** The failed tests by file and name. */
  readonly failures: readonly string[];
  readonly times: readonly FileTime[];
  /** Empty if it was shown. */
  readonly output: string;
}

/** Runs a test runner, which writes its results as JSON. */
export async function runTests(run: TestRun): Promise<TestOutcome> {
  const { name, command, env, isShown = false, onStuck } = run;
  const at = (type: string): string => join(results, `${name}.${type}`);
  const [file, log, running] = [at('json'), at('log'), at('running')];
  const isVitest = command[0] === 'vitest';
  const naming = join(root, 'scripts', 'name-running.ts');
  const reporters = isVitest
    ? ['--reporter=dot', '--reporter=json', `--reporter=${naming}`, `--outputFile.json=${file}`]
    : [`--reporter=dot,json,${naming}`];
  const watching = onStuck ? setInterval(() => void tellStuck(running, onStuck), stuckMs) : undefined;
  const { code, output } = await runStep([...command, ...reporters], {
    ...(isShown ? {} : { log }),
    env: {
      NODE_COMPILE_CACHE: compiled,
      [runningVariable]: running,
      ...env,
      PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    },
  }).finally(() => clearInterval(watching));
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { isGood: false, count: undefined, failures: [], times: [], output };
  const [parseCount, parseFailures, parseTimes] = isVitest
    ? [vitestCount, vitestFailures, vitestTimes]
    : [playwrightCount, playwrightFailures, playwrightTimes];
  const count = parseCount(text);
  const failures = parseFailures(text).map((failure) => failure.replace(`${root}/`, ''));
  const times = parseTimes(text).map((time) => ({ ...time, file: time.file.replace(`${root}/`, '') }));
  return { isGood: code === 0 && count.failed === 0, count, failures, times, output };
}

async function tellStuck(file: string, tell: (tests: string) => void): Promise<void> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  if (Date.now() - mtimeMs >= stuckMs) tell(await readFile(file, 'utf8').catch(() => ''));
}
