import { parseArgs } from 'node:util';
import { type FigureKey, figureKeys } from './goals.ts';
import type { LabOptions } from './lab/lab.ts';

/** What the command is asked to do. */
export type Command =
  | { readonly type: 'help' }
  | (LabOptions & { readonly type: 'tab'; readonly json: boolean; readonly keys: readonly FigureKey[] });

const mostRuns = 100;

export const usage: string = `Usage: npm run bench -- tab [options]

Measures the machine in the tab, in real Chromium where that is where it runs, and compares it by
ratios taken in one run. A table goes to stderr.

Options
  --json              one JSON object on the last line of stdout: a number for each key, and details
  --only key,key      only these: ${figureKeys.join(' ')}
  --runs N            how often each side is measured, ${mostRuns} at most (default: 5)
  --plain-v8          without the flags that the tests give V8, as a visitor's browser runs
  --site folder       measure a site that is built; default: build the present sources into dist/site
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
      'plain-v8': { type: 'boolean', default: false },
      site: { type: 'string' },
    },
    allowPositionals: true,
  });
  if (values.help || positionals.length === 0) return { type: 'help' };
  const [suite, surplus] = positionals;
  if (suite !== 'tab') throw new RangeError(`There is no benchmark "${suite}"; try --help`);
  if (surplus !== undefined) throw new RangeError(`Unexpected argument "${surplus}"`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1 || runs > mostRuns) {
    throw new RangeError(`--runs is ${values.runs}, not a number from 1 to ${mostRuns}`);
  }
  const { json, site, only, 'plain-v8': plainV8 } = values;
  return { type: 'tab', json, runs, site, plainV8, keys: only?.split(',').map(parseKey) ?? figureKeys };
}

function parseKey(text: string): FigureKey {
  const key = figureKeys.find((known) => known === text);
  if (key) return key;
  throw new RangeError(`There is no figure "${text}"; there are ${figureKeys.join(', ')}`);
}
