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

interface VitestFile {
  readonly name: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

/** The failed tests of Vitest's JSON report by file and name, and the files that failed outside of their tests. */
export function vitestFailures(json: string): string[] {
  const { testResults }: { testResults: readonly VitestFile[] } = JSON.parse(json);
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message !== '') return [name];
    return failed.map(({ fullName }) => `${name}: ${fullName}`);
  });
}

interface PlaywrightSuite {
  readonly file: string;
  readonly specs?: readonly { readonly title: string; readonly ok: boolean }[];
  readonly suites?: readonly PlaywrightSuite[];
}

/** The failed tests of Playwright's JSON report by file and name. */
export function playwrightFailures(json: string): string[] {
  const failures = ({ file, specs = [], suites = [] }: PlaywrightSuite): string[] => [
    ...specs.filter(({ ok }) => !ok).map(({ title }) => `${file}: ${title}`),
    ...suites.flatMap(failures),
  ];
  return (JSON.parse(json) as { suites: readonly PlaywrightSuite[] }).suites.flatMap(failures);
}

/** As the last line of `npm test` has it. */
export function describeCount({ passed, failed, skipped }: TestCount): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
