import { Worker } from 'node:worker_threads';
import type { CaseRequest } from './case-worker.ts';
import type { OurAnswer } from './our-bash.ts';
import type { SuiteCase, SuiteFile } from './suite.ts';

const deadlineMs = 5_000;
/** After the deadline, for a shell that ends what it is told to end. */
const graceMs = 2_000;

/** A thread with our shell: one that hangs or breaks is replaced, and the case has no answer. */
export class CaseThread implements AsyncDisposable {
  readonly #files: readonly SuiteFile[];
  #worker: Worker | undefined;
  #settle: (answer: OurAnswer | string) => void = () => {};

  constructor(files: readonly SuiteFile[]) {
    this.#files = files;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** One at a time. */
  async answer(one: SuiteCase): Promise<OurAnswer> {
    const { promise, resolve } = Promise.withResolvers<OurAnswer | string>();
    this.#settle = resolve;
    const timer = setTimeout(() => resolve('holds its thread'), deadlineMs + graceMs);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ one, deadlineMs } satisfies CaseRequest);
    const answer = await promise.finally(() => clearTimeout(timer));
    if (typeof answer !== 'string') return answer;
    await this[Symbol.asyncDispose]();
    return { stdout: '', stderr: '', status: -1, failure: answer };
  }

  #start(): Worker {
    const worker = new Worker(new URL('./case-worker.ts', import.meta.url), { workerData: this.#files });
    worker.on('message', (answer: OurAnswer) => this.#settle(answer));
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#settle(`throws ${(error as Error).stack ?? String(error)}`);
    });
    return worker;
  }
}
