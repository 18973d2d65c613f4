// A thread that runs cases by our shell, one at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { OurBash } from './our-bash.ts';
import type { SuiteCase, SuiteFile } from './suite.ts';

/** How long a case may take. */
export interface CaseRequest {
  readonly one: SuiteCase;
  readonly deadlineMs: number;
}

const bash = new OurBash(workerData as readonly SuiteFile[]);
parentPort?.on('message', async ({ one, deadlineMs }: CaseRequest) => {
  parentPort?.postMessage(await bash.answer(one, deadlineMs));
});
