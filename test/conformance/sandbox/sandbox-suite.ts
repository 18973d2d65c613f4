import { archivesSuite } from './archives-suite.ts';
import { basicsSuite } from './basics-suite.ts';
import { capturesSuite } from './captures-suite.ts';
import { movesSuite } from './moves-suite.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { processesSuite } from './processes-suite.ts';
import { SuiteTests } from './suite-tests.ts';
import { terminalsSuite } from './terminals-suite.ts';
import { workspaceSuite } from './workspace-suite.ts';

/** What a sandbox promises its users, whatever runs it and wherever: every runtime runs this. */
export function sandboxSuite(open: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  basicsSuite(open, tests);
  processesSuite(open, tests);
  capturesSuite(open, tests);
  terminalsSuite(open, tests);
  archivesSuite(open, tests);
  movesSuite(open, tests);
  workspaceSuite(open, tests);
}
