#!/usr/bin/env node
// `coppice`: the command line. What it can is in `commands/`, one file for each command.
import { processContext } from './context.ts';
import { runCli } from './run-cli.ts';

// Node 22 warns of its SQLite, which keeps the list of sandboxes.
process.removeAllListeners('warning');
process.on('warning', ({ name, message }) => {
  if (name !== 'ExperimentalWarning') process.stderr.write(`${name}: ${message}\n`);
});

process.exitCode = await runCli(process.argv.slice(2), processContext());
