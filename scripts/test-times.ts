/** How long the tests of a file took. */
export interface FileTime {
  readonly file: string;
  readonly ms: number;
}

interface PlaywrightSuite {
  readonly file: string;
  readonly specs?: readonly {
    readonly tests: readonly { readonly results: readonly { readonly duration: number }[] }[];
  }[];
  readonly suites?: readonly PlaywrightSuite[];
}

/** Times of the files in Vitest's JSON report, from their first test to their last. */
export function vitestTimes(json: string): FileTime[] {
  const report: { testResults: readonly { name: string; startTime: number; endTime: number }[] } =
    JSON.parse(json);
  return report.testResults.map(({ name, startTime, endTime }) => ({ file: name, ms: endTime - startTime }));
}

/** Times of the files in Playwright's JSON report, by its tests. */
export function playwrightTimes(json: string): FileTime[] {
  const timeOf = ({ specs = [], suites = [] }: PlaywrightSuite): number => {
    const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results));
    return (
      results.reduce((sum, { duration }) => sum + duration, 0) +
      suites.reduce((sum, one) => sum + timeOf(one), 0)
    );
  };
  const { suites }: { suites: readonly PlaywrightSuite[] } = JSON.parse(json);
  return suites.map((suite) => ({ file: suite.file, ms: timeOf(suite) }));
}

/** The slowest files, a line each. */
export function describeSlowest(times: readonly FileTime[], count: number): string[] {
  return times
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ file, ms }) => `${`${Math.round(ms / 1000)}`.padStart(5)} s ${file}`);
}
