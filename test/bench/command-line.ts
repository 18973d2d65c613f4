import { parseArgs } from 'node:util';
import { type FigureKey, type Suite, suites } from './goals.ts';
import type { LabOptions } from './lab/lab.ts';

/** What the command is asked to do. */
export type Command =
  | { readonly type: 'help' }
  | (LabOptions & { readonly type: Suite; readonly json: boolean; readonly keys: readonly FigureKey[] });

const mostRuns = 100;

export const usage: string = `Usage: npm run bench -- tab|bridge|live|visitor|light|rewind|replay [options]

Measures the machine in the tab, in real Chromium where that is where it runs, the sandboxes of
this host and a bridge to them, the machine in the tab as it is saved while it runs, a visitor's first minute in
browsers at their default settings, shells without a machine and git, the command line with agents under it, or recordings and their player, and
compares them by ratios taken in one run.
A table goes to stderr.

Options
  --json              one JSON object on the last line of stdout: a number for each key, and details
  --only key,key      only these
      tab: ${suites.tab.join(' ')}
      bridge: ${suites.bridge.join(' ')}
      live: ${suites.live.join(' ')}
      visitor: ${suites.visitor.join(' ')}
      light: ${suites.light.join(' ')}
      rewind: ${suites.rewind.join(' ')}
      replay: ${suites.replay.join(' ')}
  --runs N            how often each side is measured, ${mostRuns} at most (default: 5)
  --site folder       tab, visitor, light, replay: measure a site that is built; default: build the present sources into
                      dist/site
  --help              this text
`;

/** Reads the command line, without the program's name. @throws RangeError or TypeError that says what is wrong */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      runs: { type: 'string', default: '5' },
      site: { type: 'string' },
    },
    allowPositionals: true,
  });
  if (values.help || positionals.length === 0) return { type: 'help' };
  const [suite, surplus] = positionals;
  if (!isSuite(suite)) throw new RangeError(`There is no benchmark "${suite}"; try --help`);
  if (surplus !== undefined) throw new RangeError(`Unexpected argument "${surplus}"`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1 || runs > mostRuns) {
    throw new RangeError(`--runs is ${values.runs}, not a number from 1 to ${mostRuns}`);
  }
  const { json, site, only } = values;
  const keys = only?.split(',').map((text) => parseKey(text, suite)) ?? suites[suite];
  return { type: suite, json, runs, site, keys };
}

function isSuite(text: string | undefined): text is Suite {
  return Object.keys(suites).some((suite) => suite === text);
}

function parseKey(text: string, suite: Suite): FigureKey {
  const key = suites[suite].find((known) => known === text);
  if (key) return key;
  throw new RangeError(`There is no figure "${text}" of ${suite}; there are ${suites[suite].join(', ')}`);
}
