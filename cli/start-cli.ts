import { processContext } from './context.ts';
import { runCli } from './run-cli.ts';

/** Runs the command line of this process. Resolves to its exit code. */
export function startCli(): Promise<number> {
  // Node 22 warns of its SQLite, which keeps the list of sandboxes.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') process.stderr.write(`${name}: ${message}\n`);
  });
  return runCli(process.argv.slice(2), processContext());
}
