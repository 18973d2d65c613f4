import { writeFileSync } from 'node:fs';

/** The file that has the names of the tests that run, one a line; it is written when one begins or ends. */
export const runningVariable = 'COPPICE_RUNNING_TESTS';

interface VitestTest {
  readonly module: { readonly relativeModuleId: string };
  readonly fullName: string;
  result(): { readonly state: string; readonly errors?: readonly TestError[] | undefined };
}

interface PlaywrightTest {
  titlePath(): string[];
}

interface PlaywrightResult {
  readonly status: string;
  readonly errors: readonly TestError[];
}

interface TestError {
  readonly message?: string | undefined;
}

/** A reporter of Vitest and of Playwright. Tells which test a run stands still at, and of a failure at once. */
export default class NameRunning {
  readonly #running = new Set<string>();
  #last = 'its first test';

  onTestCaseReady(test: VitestTest): void {
    this.#begin(vitestName(test));
  }

  onTestCaseResult(test: VitestTest): void {
    const { state, errors = [] } = test.result();
    if (state === 'failed') tellFailure(vitestName(test), errors);
    this.#end(vitestName(test));
  }

  onTestBegin(test: PlaywrightTest): void {
    this.#begin(playwrightName(test));
  }

  onTestEnd(test: PlaywrightTest, { status, errors }: PlaywrightResult): void {
    if (status === 'failed' || status === 'timedOut') tellFailure(playwrightName(test), errors);
    this.#end(playwrightName(test));
  }

  #begin(name: string): void {
    this.#running.add(name);
    this.#write();
  }

  #end(name: string): void {
    this.#running.delete(name);
    this.#last = `after ${name}`;
    this.#write();
  }

  #write(): void {
    const file = process.env[runningVariable];
    if (file) writeFileSync(file, [...this.#running].join('\n') || this.#last);
  }
}

function tellFailure(name: string, errors: readonly TestError[]): void {
  console.log(`\nFAIL ${name}\n  ${errors[0]?.message?.split('\n', 1)[0] ?? 'without an error'}`);
}

function vitestName({ module, fullName }: VitestTest): string {
  return `${module.relativeModuleId}: ${fullName}`;
}

function playwrightName(test: PlaywrightTest): string {
  return test.titlePath().filter(Boolean).join(': ');
}
