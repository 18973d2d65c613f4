import { writeFileSync } from 'node:fs';

/** The file that has the names of the tests that run, one a line; it is written when one begins or ends. */
export const runningVariable = 'COPPICE_RUNNING_TESTS';

interface VitestTest {
  readonly module: { readonly relativeModuleId: string };
  readonly fullName: string;
}

interface PlaywrightTest {
  titlePath(): string[];
}

/** A reporter of Vitest and of Playwright, by which a run that stands still can be told by its test. */
export default class NameRunning {
  readonly #running = new Set<string>();
  #last = 'its first test';

  onTestCaseReady(test: VitestTest): void {
    this.#begin(vitestName(test));
  }

  onTestCaseResult(test: VitestTest): void {
    this.#end(vitestName(test));
  }

  onTestBegin(test: PlaywrightTest): void {
    this.#begin(playwrightName(test));
  }

  onTestEnd(test: PlaywrightTest): void {
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

function vitestName({ module, fullName }: VitestTest): string {
  return `${module.relativeModuleId}: ${fullName}`;
}

function playwrightName(test: PlaywrightTest): string {
  return test.titlePath().filter(Boolean).join(': ');
}
