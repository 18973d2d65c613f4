import { archivesSuite } from './archives-suite.ts';
import { basicsSuite } from './basics-suite.ts';
import { capturesSuite } from './captures-suite.ts';
import { movesSuite } from './moves-suite.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { processesSuite } from './processes-suite.ts';
import { terminalsSuite } from './terminals-suite.ts';
import { workspaceSuite } from './workspace-suite.ts';

/** What a sandbox promises its users, whatever runs it and wherever: every runtime runs this. */
export function sandboxSuite(open: OpenSandbox): void {
  basicsSuite(open);
  processesSuite(open);
  capturesSuite(open);
  terminalsSuite(open);
  archivesSuite(open);
  movesSuite(open);
  workspaceSuite(open);
}
