import { stripVTControlCharacters } from 'node:util';

/** How many tests ended how. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function addCounts(a: TestCount, b: TestCount): TestCount {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** Counts of Vitest's JSON report. */
export function vitestCount(json: string): TestCount {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(json);
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
}

/** Counts of Playwright's JSON report. */
export function playwrightCount(json: string): TestCount {
  const { stats } = JSON.parse(json);
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
}

/** Lines of an error that are told with the name of its test. */
const linesOfError = 12;

interface VitestFile {
  readonly name: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[];
  }[];
}

/**
 * The failed tests of Vitest's JSON report by file and name, and the files that failed outside of their tests, each with
 * the beginning of its error.
 */
export function vitestFailures(json: string): string[] {
  const { testResults }: { testResults: readonly VitestFile[] } = JSON.parse(json);
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message !== '') return [withError(name, message)];
    return failed.map(({ fullName, failureMessages }) =>
      withError(`${name}: ${fullName}`, failureMessages?.[0]),
    );
  });
}

interface PlaywrightSuite {
  readonly file: string;
  readonly specs?: readonly {
    readonly title: string;
    readonly ok: boolean;
    readonly tests?: readonly {
      readonly results: readonly { readonly error?: { readonly message?: string } }[];
    }[];
  }[];
  readonly suites?: readonly PlaywrightSuite[];
}

/** The failed tests of Playwright's JSON report by file and name, each with the beginning of its error. */
export function playwrightFailures(json: string): string[] {
  const failures = ({ file, specs = [], suites = [] }: PlaywrightSuite): string[] => [
    ...specs
      .filter(({ ok }) => !ok)
      .map(({ title, tests }) => withError(`${file}: ${title}`, tests?.[0]?.results.at(-1)?.error?.message)),
    ...suites.flatMap(failures),
  ];
  return (JSON.parse(json) as { suites: readonly PlaywrightSuite[] }).suites.flatMap(failures);
}

function withError(name: string, error = ''): string {
  const lines = stripVTControlCharacters(error).split('\n').filter(Boolean).slice(0, linesOfError);
  return [name, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** As the last line of `npm test` has it. */
export function describeCount({ passed, failed, skipped }: TestCount): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
