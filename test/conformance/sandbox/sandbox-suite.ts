import { describe } from 'vitest';
import { archivesSuite } from './archives-suite.ts';
import { basicsSuite } from './basics-suite.ts';
import { capturesSuite } from './captures-suite.ts';
import { forkMergesSuite, mergesSuite } from './merges-suite.ts';
import { movesSuite } from './moves-suite.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { portsSuite } from './ports-suite.ts';
import { processesSuite } from './processes-suite.ts';
import { recordingsSuite } from './recordings-suite.ts';
import { shellsSuite } from './shells-suite.ts';
import { forksSuite, statesSuite } from './states-suite.ts';
import { SuiteTests } from './suite-tests.ts';
import { terminalsSuite } from './terminals-suite.ts';
import { workspaceSuite } from './workspace-suite.ts';

const suites = {
  basics: basicsSuite,
  states: statesSuite,
  forks: forksSuite,
  processes: processesSuite,
  shells: shellsSuite,
  ports: portsSuite,
  captures: capturesSuite,
  terminals: terminalsSuite,
  archives: archivesSuite,
  moves: movesSuite,
  merges: mergesSuite,
  forkMerges: forkMergesSuite,
  workspace: workspaceSuite,
  recordings: recordingsSuite,
} as const;

/**
 * What a sandbox promises its users, whatever runs it and wherever: every runtime runs this. What a runtime `lacks` as
 * a whole is skipped under its reason.
 */
export function sandboxSuite(
  open: OpenSandbox,
  tests: SuiteTests = new SuiteTests(),
  { lacks = {} }: { readonly lacks?: { readonly [Name in keyof typeof suites]?: string } } = {},
): void {
  for (const [name, suite] of Object.entries(suites)) {
    const reason = lacks[name as keyof typeof suites];
    if (reason === undefined) suite(open, tests);
    else describe.skip(`${name} (not here: ${reason})`, () => suite(open, tests));
  }
}
