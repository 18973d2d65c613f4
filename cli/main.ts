#!/usr/bin/env node
// `coppice`: the command line. What it can is in `commands/`, one file for each command.
import { keepCompiledCode } from './keep-compiled-code.ts';

// Where npm has installed it all the same: an older Node would fail in the midst of a command.
const isTooOld = process.versions.node.localeCompare('22.18', undefined, { numeric: true }) < 0;
if (isTooOld) {
  process.stderr.write(`coppice: Node ${process.versions.node} is too old: it takes 22.18 or newer\n`);
  process.exitCode = 6;
} else {
  // All else is loaded after this.
  keepCompiledCode();
  const { startCli } = await import('./start-cli.ts');
  process.exitCode = await startCli();
}
